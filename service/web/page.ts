/**
 * The page at `/`: scripts, a style and a frame, as they lie in this folder. Its policy lets it load and call nothing but
 * this service, and run no script but these, whatever a document or a model says.
 */
import { readFileSync } from 'node:fs';
import type { Route } from '../routes.ts';

const FILES: Record<string, [file: string, type: string]> = {
  '/': ['index.html', 'text/html; charset=utf-8'],
  '/web/app.js': ['app.js', 'text/javascript; charset=utf-8'],
  '/web/ask.js': ['ask.js', 'text/javascript; charset=utf-8'],
  '/web/result.js': ['result.js', 'text/javascript; charset=utf-8'],
  '/web/view.js': ['view.js', 'text/javascript; charset=utf-8'],
  '/web/style.css': ['style.css', 'text/css; charset=utf-8'],
};

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  // Small files that change with the service: asked for again, so that page and service always fit.
  'cache-control': 'no-cache',
};

/** Open without a key: the page holds nothing, and asks for the key that its questions need. */
export function pageRoutes(): Record<string, Route> {
  return Object.fromEntries(
    Object.entries(FILES).map(([path, [file, type]]) => {
      const body = readFileSync(new URL(file, import.meta.url), 'utf8');
      const GET = () => new Response(body, { headers: { ...HEADERS, 'content-type': type } });
      return [path, { open: true, methods: { GET } }];
    }),
  );
}
