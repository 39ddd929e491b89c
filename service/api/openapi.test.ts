/** The published document against the routes that are there, and every path against the methods it does not declare. */
import { request } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Access } from '../access.ts';
import { type AppDeps, serviceRoutes } from '../app.ts';
import { LIMITS } from '../config.ts';
import { askRequestSchema } from '../contract.ts';
import type { Service } from '../serve.ts';
import { standInService } from '../testing/service.ts';
import { openApiDocument } from './openapi.ts';
import { OPERATIONS } from './openapi-operations.ts';

const document = openApiDocument(false);
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'];
let service: Service;
beforeAll(async () => {
  service = await standInService();
});
afterAll(() => service.close());

/** `fetch` refuses TRACE; this sends whatever it is told to. */
function send(path: string, method: string): Promise<{ status: number; allow: string | undefined }> {
  return new Promise((resolve, reject) => {
    const req = request(service.url + path, { method }, (res) => {
      res.resume();
      res.on('end', () => resolve({ status: res.statusCode ?? 0, allow: res.headers.allow }));
    });
    req.on('error', reject);
    req.end();
  });
}

it('is served, and is OpenAPI 3.1 with the schemas of the contract', async () => {
  const response = await fetch(`${service.url}/openapi.json`);
  expect(response.headers.get('content-type')).toContain('application/json');
  const served = (await response.json()) as ReturnType<typeof openApiDocument>;
  expect(served).toEqual(JSON.parse(JSON.stringify(document)));
  expect(served.openapi).toBe('3.1.0');
  expect(served.components.schemas.AskRequest).toMatchObject({
    required: ['question'],
    additionalProperties: false,
    properties: { question: { maxLength: 2000 }, k: { minimum: 1, maximum: 20 } },
  });
});

it('has no reference that leads nowhere', () => {
  const text = JSON.stringify(document);
  const places = [...text.matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)];
  expect(places.length).toBeGreaterThan(40);
  for (const [, kind = '', name = ''] of places) {
    expect(document.components[kind as 'schemas'], name).toHaveProperty(name);
  }
  expect(text).not.toContain('"$id"');
});

it('says of blank questions what the service says', () => {
  const { pattern } = (document.components.schemas.AskRequest as { properties: { question: { pattern: string } } })
    .properties.question;
  // Every code unit that JavaScript trims, and some that others call white space.
  const texts = Array.from({ length: 0xffff }, (_, code) => String.fromCharCode(code));
  const published = new RegExp(pattern);
  const blank = texts.filter((text) => text.trim() === '');
  expect(texts.filter((text) => !published.test(text))).toEqual(blank);
  expect(texts.filter((text) => !askRequestSchema.safeParse({ question: text }).success)).toEqual(blank);
});

it.each(Object.entries(document.paths))(
  '%s answers undeclared methods with 405 and Allow',
  async (path, operations) => {
    const declared = Object.keys(operations).map((method) => method.toUpperCase());
    const allowed = declared.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
    for (const method of METHODS) {
      const { status, allow } = await send(path, method);
      if (allowed.includes(method)) expect([path, method, status]).not.toEqual([path, method, 405]);
      else expect([path, method, status, allow]).toEqual([path, method, 405, allowed.join(', ')]);
    }
  },
);

it('leaves out no route, and says of none that it is open but those that are', () => {
  // Only the table is made, and nothing in it called.
  const deps = { limits: LIMITS, accessConfig: { keys: [], corsOrigins: [], allowedHosts: [] } } as unknown as AppDeps;
  const routes = serviceRoutes(deps, {} as Access);
  const declared = Object.entries(routes)
    // The page for people is no part of the API.
    .filter(([path]) => path !== '/' && !path.startsWith('/web/'))
    .flatMap(([path, route]) => Object.keys(route.methods).map((method) => `${method} ${path}`));
  expect(Object.keys(OPERATIONS).sort()).toEqual(declared.sort());
  const open = Object.entries(OPERATIONS).filter(([, operation]) => operation.open);
  expect(open.map(([name]) => name.split(' ')[1])).toEqual(
    Object.keys(routes).filter((path) => routes[path]?.open && path !== '/' && !path.startsWith('/web/')),
  );
});

it('asks for a key where the service does', () => {
  const { paths } = openApiDocument(true);
  expect(paths['/ask']?.post).toMatchObject({ security: [{ key: [] }], responses: { 401: {} } });
  expect(paths['/healthz']?.get).not.toHaveProperty('security');
});
