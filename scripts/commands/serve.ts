/** `askdocs serve`: the service until Ctrl-C or SIGTERM. */
import { defineCommand } from 'citty';
import { loadConfig } from '../../service/config.ts';
import { type Service, startService } from '../../service/serve.ts';
import { readEnvironment } from '../environment.ts';

export const serveCommand = defineCommand({
  meta: {
    name: 'serve',
    description: 'Answer questions over HTTP until Ctrl-C. Settings come from ASKDOCS_… variables or a file .env.',
  },
  args: {
    host: {
      type: 'string',
      description: 'Address to listen on (default 127.0.0.1: this machine alone)',
      valueHint: 'ADDRESS',
    },
    port: { type: 'string', description: 'Port to listen on (default 8000; 0 takes any free one)', valueHint: 'PORT' },
    db: { type: 'string', description: 'Index to answer from (default data/docs.db)', valueHint: 'FILE' },
  },
  async run({ args }) {
    const stop = untilSignal();
    const stopping = new AbortController();
    void stop.then(() => stopping.abort());
    const service = await startService(loadConfig(withOptions(args)), { stop: stopping.signal });
    if (!stopping.signal.aborted)
      process.stderr.write(`askdocs answers on ${service.url} (POST /ask); Ctrl-C stops it.\n`);
    return await end(service, stop);
  },
});

interface Options {
  host?: string | undefined;
  port?: string | undefined;
  db?: string | undefined;
}

/** An option wins over its variable. */
function withOptions({ host, port, db }: Options) {
  const given = { ASKDOCS_HOST: host, ASKDOCS_PORT: port, ASKDOCS_MCP_DB: db };
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...readEnvironment(), ...Object.fromEntries(set) };
}

/** The first signal ends the service in good order, the second at once. */
function untilSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let asked = false;
    const onSignal = (signal: NodeJS.Signals) => {
      if (asked) process.exit(130);
      asked = true;
      resolve(signal);
    };
    process.on('SIGINT', onSignal);
    process.on('SIGTERM', onSignal);
  });
}

async function end(service: Service, stop: Promise<NodeJS.Signals>): Promise<number> {
  const signal = await stop;
  process.stderr.write(`\n${signal}: no new questions; answers in flight may end. A second signal stops at once.\n`);
  await service.close();
  return 0;
}
