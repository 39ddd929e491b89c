/** Starts the real service over the stand-in retrieval server, and asks it over real HTTP. */
import { type Config, loadConfig } from '../config.ts';
import type { AskEvent } from '../contract.ts';
import { type Logger, silentLogger } from '../log.ts';
import { type Service, startService } from '../serve.ts';
import { standInCommand } from './retrieval.ts';

export interface Setup {
  mode?: string;
  env?: Record<string, string>;
  limits?: Partial<Config['limits']>;
  log?: Logger;
}

export function standInService({
  mode = 'typed',
  env = {},
  limits = {},
  log = silentLogger,
}: Setup = {}): Promise<Service> {
  const command = standInCommand(mode)
    .map((word) => `"${word}"`)
    .join(' ');
  const config = loadConfig({ ASKDOCS_PORT: '0', ASKDOCS_MCP_COMMAND: command, ...env });
  return startService({ ...config, limits: { ...config.limits, ...limits } }, { log });
}

/** A request with a JSON body. */
export function post(url: string, body: unknown, init: RequestInit = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...init,
  });
}

/** All events of a stream that ends; throws on anything that is not the format. */
export async function eventsOf(response: Response): Promise<AskEvent[]> {
  const events: AskEvent[] = [];
  for (const block of (await response.text()).split('\n\n')) {
    if (block === '' || block.startsWith(':')) continue;
    const match = /^event: (\w+)\ndata: (.*)$/.exec(block);
    if (match === null) throw new Error(`not an event: ${block}`);
    events.push({ event: match[1], data: JSON.parse(match[2] as string) } as AskEvent);
  }
  return events;
}
