/** A real nginx in front of an address: with the settings it comes with, or with servers of one's own. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../free-port.ts';

/** From the system's packages, not ours. */
const PROGRAM = 'nginx';

export interface Nginx {
  url: string;
  close(): void;
}

export function nginxVersion(): string {
  const { error, stderr } = spawnSync(PROGRAM, ['-v'], { encoding: 'utf8', env: withSbin() });
  if (error !== undefined) throw new Error('There is no nginx; install it first, for example: apt install nginx');
  return stderr.trim().replace('nginx version: ', '');
}

/** Each is a process of its own. Nothing but places and the address to pass to is set. */
export function startNginx(target: string): Promise<Nginx> {
  return startNginxWith((port) => `server { listen 127.0.0.1:${port}; location / { proxy_pass ${target}; } }`);
}

/** With servers of one's own, written for the port they are to listen on. */
export async function startNginxWith(servers: (port: number) => string): Promise<Nginx> {
  const folder = mkdtempSync(join(tmpdir(), 'askdocs-nginx-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => {
    mkdirSync(join(folder, name));
    return `${name}_temp_path ${join(folder, name)};`;
  });
  const config = `pid ${folder}/pid; error_log ${folder}/error.log; daemon off;
events {}
http {
access_log off; ${temp.join(' ')}
${servers(port)}
}
`;
  writeFileSync(join(folder, 'nginx.conf'), config);
  const child = spawn(PROGRAM, ['-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: 'inherit', env: withSbin() });
  await answering(child, url);
  return {
    url,
    close() {
      child.kill('SIGTERM');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function answering(child: ChildProcess, url: string): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    if (child.exitCode !== null) throw new Error(`nginx ended with ${child.exitCode}.`);
    const response = await fetch(`${url}/healthz`).catch(() => undefined);
    await response?.body?.cancel();
    if (response !== undefined) return;
    await sleep(50);
  }
  throw new Error('nginx does not answer.');
}

/** Debian keeps nginx where the PATH of an ordinary user does not look. */
function withSbin(): NodeJS.ProcessEnv {
  return { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };
}
