/** A real nginx with the file that the documentation shows; ports, certificate and the service's address are of this machine. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { type Nginx, startNginxWith } from './nginx-server.ts';
import { ROOT } from './setup.ts';

export async function startDocumentedNginx(target: string): Promise<Nginx> {
  const folder = mkdtempSync(join(tmpdir(), 'askdocs-certificate-'));
  makeCertificate(folder);
  const plain = await freePort();
  const nginx = await startNginxWith((port) => {
    const here: [string, string][] = [
      ['server 127.0.0.1:8000;', `server ${new URL(target).host};`],
      ['listen 80;', `listen 127.0.0.1:${plain};`],
      ['listen 443 ssl;', `listen 127.0.0.1:${port} ssl;`],
      ['/etc/letsencrypt/live/docs.example.org/fullchain.pem', join(folder, 'cert.pem')],
      ['/etc/letsencrypt/live/docs.example.org/privkey.pem', join(folder, 'key.pem')],
    ];
    return here.reduce(replaced, readFileSync(join(ROOT, 'docs', 'deploy', 'nginx.conf'), 'utf8'));
  });
  return {
    url: nginx.url.replace('http:', 'https:'),
    close() {
      nginx.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function replaced(text: string, [from, to]: [string, string]): string {
  if (!text.includes(from)) throw new Error(`docs/deploy/nginx.conf has no ${JSON.stringify(from)}.`);
  return text.replace(from, to);
}

function makeCertificate(folder: string): void {
  const subject = ['-subj', '/CN=docs.example.org', '-addext', 'subjectAltName=DNS:docs.example.org,IP:127.0.0.1'];
  const files = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'cert.pem')];
  const how = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2'];
  const made = spawnSync('openssl', ['req', ...how, ...subject, ...files]);
  if (made.status !== 0) throw new Error('openssl could not make a certificate.');
}
