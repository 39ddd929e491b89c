/** `askdocs ask`: one question, answered in the terminal, with a running service or without. */
import { defineCommand } from 'citty';
import { answerQuestion } from '../../service/answer.ts';
import { loadConfig } from '../../service/config.ts';
import { type AskEvent, type AskRequest, askRequestSchema, CodedError } from '../../service/contract.ts';
import { silentLogger } from '../../service/log.ts';
import { createPipeline } from '../../service/serve.ts';
import { askService } from '../ask-client.ts';
import { AnswerPrinter } from '../ask-print.ts';
import { readEnvironment } from '../environment.ts';

export const askCommand = defineCommand({
  meta: {
    name: 'ask',
    description: 'Ask one question; the answer streams to the terminal, and its sources are listed under it.',
  },
  args: {
    question: { type: 'positional', description: 'The question, in quotes', required: true },
    db: { type: 'string', description: 'Index to answer from (default data/docs.db)', valueHint: 'FILE' },
    url: {
      type: 'string',
      description: 'Ask a running service instead of starting the pipeline here; a key it needs: ASKDOCS_API_KEY',
      valueHint: 'URL',
    },
    k: { type: 'string', description: 'How many passages the answer may draw on, 1 to 20 (default 5)', valueHint: 'N' },
    format: {
      type: 'string',
      description: 'text, or json for the whole answer as one object',
      default: 'text',
      valueHint: 'text|json',
    },
  },
  async run({ args }) {
    const request = readRequest(args.question, args.k);
    if (args.format !== 'text' && args.format !== 'json') {
      throw new CodedError('bad_input', `--format is "${args.format}"; it must be text or json.`);
    }
    const left = new AbortController();
    process.once('SIGINT', () => left.abort(new CodedError('cancelled', 'Stopped; nothing was kept.')));
    const events =
      args.url === undefined
        ? askHere(request, args.db, left.signal)
        : askService(args.url, request, left.signal, readEnvironment().ASKDOCS_API_KEY);
    return await show(events, args.format);
  },
});

function readRequest(question: string, k: string | undefined): AskRequest {
  const parsed = askRequestSchema.safeParse({ question, ...(k === undefined ? {} : { k: Number(k) }) });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const name = issue?.path[0] === 'k' ? `--k is "${k}"; it` : 'The question';
  throw new CodedError(
    'bad_input',
    `${name} ${issue?.path[0] === 'k' ? 'must be a whole number from 1 to 20' : issue?.message}.`,
  );
}

async function* askHere(request: AskRequest, db: string | undefined, signal: AbortSignal): AsyncGenerator<AskEvent> {
  const env = readEnvironment();
  const config = loadConfig(db === undefined ? env : { ...env, ASKDOCS_MCP_DB: db });
  const pipeline = createPipeline(config, silentLogger);
  let thrown: unknown;
  const onFailure = (error: unknown) => {
    thrown = error;
  };
  try {
    for await (const event of answerQuestion(request, { ...pipeline, onFailure }, signal)) {
      yield event.event === 'error' ? withCause(event, thrown) : event;
    }
  } finally {
    await pipeline.retriever.close();
  }
}

/** Over HTTP a cause stays in the log of the service; here the one who reads it is the one who can mend it. */
function withCause(event: Extract<AskEvent, { event: 'error' }>, thrown: unknown): AskEvent {
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause.message : '';
  return { ...event, data: { ...event.data, message: [event.data.message, cause].filter(Boolean).join(' ') } };
}

async function show(events: AsyncIterable<AskEvent>, format: 'text' | 'json'): Promise<number> {
  const printer = new AnswerPrinter(process.stdout, format);
  for await (const event of events) {
    if (event.event === 'error') {
      printer.breakOff();
      throw new CodedError(event.data.code as CodedError['code'], event.data.message);
    }
    printer.take(event);
  }
  return 0;
}
