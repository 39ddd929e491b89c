/**
 * A retrieval server for tests that speaks MCP by hand, and misbehaves as its first argument says. Modes: text (plain
 * crag-mcp text), wordy (text, and stats with a note), typed, distant (low scores), empty, gated (all below the gate), iserror, refuse, nonsense, twenty, huge, slow:MS, hang,
 * crash, crash-once:FILE (dies in the first call, FILE remembers it), hang-once:FILE, flood (stderr), garbage (stdout), babble (stdout
 * without end), odd (content that is no list),
 * document:FILE (one passage, the text of FILE), deaf (never answers initialize), stubborn (ignores the end of stdin and SIGTERM).
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

interface Request {
  id?: number | string;
  method: string;
  params?: {
    name?: string;
    arguments?: { query?: string; k?: number };
    protocolVersion?: string;
    _meta?: { traceparent?: string };
  };
}

const [mode = 'text', argument = ''] = (process.argv[2] ?? '').split(/:(.*)/s);
const log = process.argv[3];

const PASSAGES =
  mode === 'document'
    ? [{ source: 'hostile.md', text: readFileSync(argument, 'utf8'), bm25: 8.4 }]
    : [
        {
          source: 'server.md',
          text: 'The option `bodyLimit` sets the largest body in bytes. The default is 1048576 bytes, which is 1 MiB.',
          bm25: 8.4,
        },
        {
          source: 'logging.md',
          text: 'Logging is off by default. Pass `logger: true` to turn it on. It writes JSON lines.',
          bm25: 6.1,
        },
        {
          source: 'routes.md',
          text: 'A route may set its own `bodyLimit`. It wins over the option of the server.',
          bm25: 4.2,
        },
      ];

function passages(k: number, text = '') {
  const count = mode === 'twenty' ? 20 : mode === 'huge' ? 1 : Math.min(k, PASSAGES.length);
  return Array.from({ length: count }, (_, i) => {
    const base = PASSAGES[i % PASSAGES.length] as (typeof PASSAGES)[number];
    return {
      ...base,
      source: i < PASSAGES.length ? base.source : `more/${i}.md`,
      text: text || base.text,
      cosine: (mode === 'distant' ? 0.2 : 0.6) - i / 100,
      fusion: 0.9 - i / 100,
    };
  });
}

function result(k: number) {
  const found = passages(k, mode === 'huge' ? `bodyLimit is big. ${'x `y` z. '.repeat(220_000)}` : '');
  const typed = found.map((passage) => ({
    ...passage,
    title: 'Title',
    heading: ['Head'],
    start: 0,
    end: passage.text.length,
  }));
  const text = found.map((p) => ({
    type: 'text',
    text: `[cos ${p.cosine.toFixed(3)}  bm25 ${p.bm25.toFixed(2)}  fusion ${p.fusion.toFixed(3)}] ${p.source}\n${p.text}`,
  }));
  const note = '(no chunk cleared the relevance threshold 0.5)';
  if (mode === 'empty') return { content: [{ type: 'text', text: '(no matching chunks)' }] };
  if (mode === 'gated') {
    return {
      content: [{ type: 'text', text: note }],
      structuredContent: { passages: [], below_gate: typed, mode: 'hybrid', note },
    };
  }
  if (mode === 'odd') return { content: 'no list' };
  if (mode === 'iserror')
    return { content: [{ type: 'text', text: 'the disk at /secret/path is on fire' }], isError: true };
  if (mode === 'nonsense') return { content: [{ type: 'text', text: 'Hello there' }] };
  if (mode === 'typed' || mode === 'distant' || mode === 'document')
    return { content: text, structuredContent: { passages: typed, below_gate: [], mode: 'hybrid', note: null } };
  return { content: text };
}

function once(): boolean {
  if (existsSync(argument)) return false;
  writeFileSync(argument, 'x');
  return true;
}

function send(message: unknown): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

function call(request: Request): void {
  const reply = (value: unknown) => send({ jsonrpc: '2.0', id: request.id, result: value });
  if (request.params?.name === 'crag_stats') {
    const note = mode === 'wordy' ? '\nnote: The embedder cannot run: no such file.' : '';
    reply({ content: [{ type: 'text', text: `db: stand-in\nchunks: 3\nfiles: 3\ndim: 384${note}` }] });
    return;
  }
  const k = request.params?.arguments?.k ?? 5;
  if (mode === 'crash' || (mode === 'crash-once' && once())) process.exit(3);
  if (mode === 'hang' || (mode === 'hang-once' && once())) return;
  if (mode === 'refuse') {
    send({ jsonrpc: '2.0', id: request.id, error: { code: -32602, message: 'unknown tool' } });
    return;
  }
  if (mode === 'babble') setInterval(() => process.stdout.write('noise\n'.repeat(20_000)), 1);
  if (mode === 'babble') return;
  if (mode === 'flood') for (let i = 0; i < 4000; i += 1) process.stderr.write(`${'noise '.repeat(100)}\n`);
  if (mode === 'garbage') process.stdout.write('DEBUG: not protocol\n{"jsonrpc": broken\n\n{"a":1}\n');
  setTimeout(() => reply(result(k)), mode === 'slow' ? Number(argument) : 0);
}

function handle(request: Request): void {
  if (log !== undefined) writeFileSync(log, `${request.method}\n`, { flag: 'a' });
  const traceparent = request.params?._meta?.traceparent;
  if (log !== undefined && traceparent !== undefined) writeFileSync(log, `traceparent ${traceparent}\n`, { flag: 'a' });
  if (request.method === 'initialize') {
    if (mode === 'deaf') return;
    send({
      jsonrpc: '2.0',
      id: request.id,
      result: {
        protocolVersion: request.params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'stand-in', version: '0' },
      },
    });
  } else if (request.method === 'tools/call') call(request);
  else if (request.id !== undefined) send({ jsonrpc: '2.0', id: request.id, result: {} });
}

if (mode === 'garbage') process.stdout.write('Welcome to the server!\n');
if (mode === 'stubborn') {
  process.on('SIGTERM', () => undefined);
  setInterval(() => undefined, 1000);
}
const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => handle(JSON.parse(line) as Request));
lines.on('close', () => mode !== 'stubborn' && process.exit(0));
