/** What each path offers, for `/openapi.json`. A test holds it to the routes. */
import type { SchemaName } from './openapi-schemas.ts';

export interface Reply {
  description: string;
  json?: SchemaName;
  /** Of which shape the data of the events is, where the reply may be a stream of events. */
  events?: { names?: string[]; data: SchemaName[] /** Data that is no JSON. */; other?: string };
  /** Media type of a reply that is plain text. */
  text?: string;
}

export interface Operation {
  id: string;
  summary: string;
  /** Answers without a key. */
  open?: true;
  parameters?: object[];
  body?: SchemaName;
  example?: object;
  replies: Record<number, Reply>;
  failures: number[];
  /** Shape of a failure where it is not the envelope. */
  failure?: SchemaName;
}

const BODY_FAILURES = [408, 413, 415, 422];
const QUESTION = 'How do I turn on logging?';
const stream = {
  name: 'stream',
  in: 'query',
  description: 'false: one JSON envelope instead of a stream of events.',
  schema: { type: 'boolean', default: true },
};

export const OPERATIONS: Record<string, Operation> = {
  'POST /ask': {
    id: 'ask',
    summary: 'Answer a question from the documents.',
    parameters: [stream],
    body: 'AskRequest',
    example: { question: QUESTION, k: 3 },
    replies: {
      200: {
        description:
          'A stream of the events sources, token (any number), then exactly one of done (an Answer) or error (an ErrorEvent); with stream=false one envelope.',
        json: 'AskEnvelope',
        events: {
          names: ['sources', 'token', 'done', 'error'],
          data: ['SourcesEvent', 'TokenEvent', 'Answer', 'ErrorEvent'],
        },
      },
    },
    failures: [...BODY_FAILURES, 500, 502, 503],
  },
  'POST /search': {
    id: 'search',
    summary: 'The ranked passages for a question, without a model and without the gate.',
    body: 'SearchRequest',
    example: { question: QUESTION },
    replies: { 200: { description: 'The passages.', json: 'SearchEnvelope' } },
    failures: [...BODY_FAILURES, 500, 502, 503],
  },
  'POST /v1/chat/completions': {
    id: 'chat',
    summary: 'The same as a model of the OpenAI API; the last message of the user is the question.',
    body: 'ChatRequest',
    example: { model: 'askdocs', messages: [{ role: 'user', content: QUESTION }] },
    replies: {
      200: {
        description: 'A completion, or with stream a stream of chunks. `askdocs` in it holds the sources.',
        json: 'ChatCompletion',
        events: { data: ['ChatChunk', 'ChatError'], other: '[DONE]' },
      },
    },
    failures: [...BODY_FAILURES, 500, 502, 503],
    failure: 'ChatError',
  },
  'GET /v1/models': {
    id: 'models',
    summary: 'The one model, for clients of the OpenAI API.',
    replies: { 200: { description: 'A list of one.', json: 'ModelList' } },
    failures: [],
  },
  'POST /mcp': {
    id: 'mcp',
    summary: 'An MCP server over Streamable HTTP, with the tools ask and search.',
    body: 'McpMessage',
    example: {
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'example', version: '1' } },
    },
    replies: {
      200: { description: 'The answers to the messages.', json: 'McpMessage', events: { data: ['McpMessage'] } },
      202: { description: 'Notifications were taken.' },
    },
    failures: [400, 404, 406, ...BODY_FAILURES, 500],
    failure: 'McpFailure',
  },
  'DELETE /mcp': {
    id: 'mcpEnd',
    summary: 'Ends a session.',
    parameters: [{ name: 'Mcp-Session-Id', in: 'header', schema: { type: 'string' } }],
    replies: { 200: { description: 'The session is over.' } },
    failures: [400, 404],
    failure: 'McpFailure',
  },
  'GET /healthz': {
    id: 'health',
    summary: 'Whether the service lives, and what works less well than it could.',
    open: true,
    replies: { 200: { description: 'It lives.', json: 'Health' } },
    failures: [],
  },
  'GET /readyz': {
    id: 'ready',
    summary: 'Whether index and model answer.',
    open: true,
    replies: {
      200: { description: 'They do.', json: 'Ready' },
      503: { description: 'One does not.', json: 'Ready' },
    },
    failures: [],
  },
  'GET /stats': {
    id: 'stats',
    summary: 'Counts since the start, and the last 1000 answers in numbers.',
    replies: { 200: { description: 'The numbers.', json: 'Stats' } },
    failures: [],
  },
  'GET /info': {
    id: 'info',
    summary: 'What determines the answers.',
    replies: { 200: { description: 'Versions, model, prompt, index.', json: 'Info' } },
    failures: [500, 502, 503],
  },
  'GET /metrics': {
    id: 'metrics',
    summary: 'The same numbers for Prometheus.',
    replies: { 200: { description: 'The text format of Prometheus.', text: 'text/plain' } },
    failures: [],
  },
  'GET /openapi.json': {
    id: 'openapi',
    summary: 'This document.',
    open: true,
    replies: { 200: { description: 'OpenAPI 3.1.', json: 'OpenApi' } },
    failures: [],
  },
};
