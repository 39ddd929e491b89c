/** `/openapi.json`: OpenAPI 3.1, its schemas made by Zod from the contract that the service itself checks against. */
import packageJson from '../../package.json' with { type: 'json' };
import { OPERATIONS, type Operation, type Reply } from './openapi-operations.ts';
import { componentSchemas } from './openapi-schemas.ts';

/** `keyed`: whether requests need a key. */
export function openApiDocument(keyed: boolean) {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [name, operation] of Object.entries(OPERATIONS)) {
    const [method = '', path = ''] = name.split(' ');
    paths[path] = { ...paths[path], [method.toLowerCase()]: describe(operation, keyed) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'askdocs',
      version: packageJson.version,
      description: packageJson.description,
      license: { name: packageJson.license, identifier: packageJson.license },
    },
    paths,
    components: {
      schemas: componentSchemas(),
      headers: {
        RequestId: { description: 'The name of the request, as given or new.', schema: { type: 'string' } },
        RetryAfter: { description: 'Seconds until a slot is likely free.', schema: { type: 'integer', minimum: 1 } },
      },
      ...(keyed ? { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } } : {}),
    },
  };
}

function describe(operation: Operation, keyed: boolean) {
  const needsKey = keyed && operation.open !== true;
  const failures = [...operation.failures, 403, ...(needsKey ? [401] : [])];
  const responses: Record<string, unknown> = {};
  for (const [status, reply] of Object.entries(operation.replies)) responses[status] = response(reply);
  for (const status of failures.sort()) responses[status] ??= failed(status, operation.failure ?? 'ErrorEnvelope');
  return {
    operationId: operation.id,
    summary: operation.summary,
    ...(needsKey ? { security: [{ key: [] }] } : {}),
    ...(operation.parameters === undefined ? {} : { parameters: operation.parameters }),
    ...(operation.body === undefined
      ? {}
      : {
          requestBody: { required: true, content: { 'application/json': bodyOf(operation.body, operation.example) } },
        }),
    responses,
  };
}

function bodyOf(schema: string, example: object | undefined) {
  return { schema: ref(schema), ...(example === undefined ? {} : { examples: { one: { value: example } } }) };
}

function response({ description, json, events, text }: Reply) {
  const content = {
    ...(json === undefined ? {} : { 'application/json': { schema: ref(json) } }),
    ...(events === undefined ? {} : { 'text/event-stream': { schema: eventSchema(events) } }),
    ...(text === undefined ? {} : { [text]: { schema: { type: 'string' } } }),
  };
  return { description, headers: HEADERS, ...(Object.keys(content).length === 0 ? {} : { content }) };
}

/** One event of a stream. */
function eventSchema({ names, data, other }: NonNullable<Reply['events']>) {
  const json = {
    type: 'string',
    contentMediaType: 'application/json',
    contentSchema: data.length === 1 ? ref(data[0] ?? '') : { oneOf: data.map(ref) },
  };
  return {
    type: 'object',
    properties: {
      ...(names === undefined ? {} : { event: { type: 'string', enum: names } }),
      data: other === undefined ? json : { anyOf: [json, { const: other }] },
    },
    required: ['data'],
  };
}

function failed(status: number, schema: string) {
  const headers = status === 503 ? { ...HEADERS, 'Retry-After': { $ref: '#/components/headers/RetryAfter' } } : HEADERS;
  return { description: MEANINGS[status], headers, content: { 'application/json': { schema: ref(schema) } } };
}

const HEADERS = { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } };

const MEANINGS: Record<number, string> = {
  400: 'Not a message of the protocol.',
  401: 'The key is missing or wrong.',
  403: 'Called by a name, or from a page, that is not allowed.',
  404: 'There is no such session.',
  408: 'The body did not arrive in time.',
  406: 'The client does not accept the format of the answer.',
  413: 'The body is too large.',
  415: 'The body is not JSON.',
  422: 'The input is not valid; the error says where.',
  500: 'Something went wrong inside the service.',
  502: 'The retrieval server or the model failed.',
  503: 'Every slot is taken, or the service is shutting down.',
};

function ref(name: string) {
  return { $ref: `#/components/schemas/${name}` };
}
