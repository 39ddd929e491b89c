/** A real nginx in front of an address: with the settings it comes with, or with those of docs/deploy/nginx.conf. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../free-port.ts';
import { ROOT } from './setup.ts';

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
export async function startNginx(target: string): Promise<Nginx> {
  const port = await freePort();
  const server = `server { listen 127.0.0.1:${port}; location / { proxy_pass ${target}; } }`;
  return run(mkdtempSync(join(tmpdir(), 'askdocs-nginx-')), server, `http://127.0.0.1:${port}`);
}

/** With servers of one's own, written for the port they are to listen on. */
export async function startNginxWith(servers: (port: number) => string): Promise<Nginx> {
  const port = await freePort();
  return run(mkdtempSync(join(tmpdir(), 'askdocs-nginx-')), servers(port), `http://127.0.0.1:${port}`);
}

/** The file that the documentation shows; ports, certificate and the service's address are those of this machine. */
export async function startDocumentedNginx(target: string): Promise<Nginx> {
  const folder = mkdtempSync(join(tmpdir(), 'askdocs-nginx-'));
  const [plain, tls] = [await freePort(), await freePort()];
  makeCertificate(folder);
  const shown = readFileSync(join(ROOT, 'docs', 'deploy', 'nginx.conf'), 'utf8');
  const here: [string, string][] = [
    ['server 127.0.0.1:8000;', `server ${new URL(target).host};`],
    ['listen 80;', `listen 127.0.0.1:${plain};`],
    ['listen 443 ssl;', `listen 127.0.0.1:${tls} ssl;`],
    ['/etc/letsencrypt/live/docs.example.org/fullchain.pem', join(folder, 'cert.pem')],
    ['/etc/letsencrypt/live/docs.example.org/privkey.pem', join(folder, 'key.pem')],
  ];
  const missing = here.filter(([text]) => !shown.includes(text));
  if (missing.length > 0) throw new Error(`docs/deploy/nginx.conf has no ${JSON.stringify(missing[0]?.[0])}.`);
  const server = here.reduce((text, [from, to]) => text.replace(from, to), shown);
  return run(folder, server, `https://127.0.0.1:${tls}`);
}

function makeCertificate(folder: string): void {
  const subject = ['-subj', '/CN=docs.example.org', '-addext', 'subjectAltName=DNS:docs.example.org,IP:127.0.0.1'];
  const files = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'cert.pem')];
  const made = spawnSync('openssl', [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '2',
    ...subject,
    ...files,
  ]);
  if (made.status !== 0) throw new Error('openssl could not make a certificate.');
}

async function run(folder: string, server: string, url: string): Promise<Nginx> {
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => {
    mkdirSync(join(folder, name));
    return `${name}_temp_path ${join(folder, name)};`;
  });
  const config = `pid ${folder}/pid; error_log ${folder}/error.log; daemon off;
events {}
http {
access_log off; ${temp.join(' ')}
${server}
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
