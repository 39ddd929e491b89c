import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Service } from '../serve.ts';
import { standInService } from '../testing/service.ts';

let service: Service;
beforeAll(async () => {
  service = await standInService({ env: { ASKDOCS_API_KEYS: 'a-secret-key' } });
});
afterAll(() => service.close());

it.each([
  ['/', 'text/html; charset=utf-8'],
  ['/web/app.js', 'text/javascript; charset=utf-8'],
  ['/web/ask.js', 'text/javascript; charset=utf-8'],
  ['/web/result.js', 'text/javascript; charset=utf-8'],
  ['/web/view.js', 'text/javascript; charset=utf-8'],
  ['/web/style.css', 'text/css; charset=utf-8'],
])('serves %s with its type and a strict policy, without a key', async (path, type) => {
  const response = await fetch(`${service.url}${path}`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe(type);
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  const policy = response.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self'");
  expect(policy).not.toMatch(/unsafe|\*|https?:/);
  expect((await response.text()).length).toBeGreaterThan(500);
});

it('answers HEAD, and nothing that writes', async () => {
  const head = await fetch(service.url, { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
  expect((await fetch(service.url, { method: 'POST' })).status).toBe(405);
});

it('serves no other file of the folder', async () => {
  for (const path of ['/web/page.ts', '/web/index.html', '/web/', '/web/../app.ts', '/web/%2e%2e/app.ts']) {
    expect((await fetch(`${service.url}${path}`)).status).toBe(404);
  }
});

it('names only what this service serves, relative to where it is mounted, and never reads text as HTML', () => {
  const read = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8');
  expect(read('index.html')).not.toMatch(/(?:src|href)="(?:\/|https?:)|<script>|<style|\son\w+=|style=/);
  for (const file of ['app.js', 'ask.js', 'result.js', 'view.js']) {
    expect(read(file)).not.toMatch(/\.(?:inner|outer)HTML|insertAdjacentHTML|document\.write|\beval\(|new Function/);
  }
});
