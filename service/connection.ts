/**
 * What is said on a connection when no request comes of it: HTTP that cannot be read, headers that are too large or too
 * late, and what this service does not do. Node would close the connection, with a status at best; here each has a sentence.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorEnvelope } from './errors.ts';

export function answerOddConnections(server: Server): void {
  const answering = new WeakMap<Duplex, ServerResponse>();
  server.on('request', (req: IncomingMessage, res: ServerResponse) => void answering.set(req.socket, res));
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    const current = answering.get(socket);
    // In the middle of an answer another one would be taken for its rest.
    const midway = current?.headersSent === true && !current.writableFinished;
    if (error.code === 'ECONNRESET' || !socket.writable || midway) socket.destroy();
    else socket.end(reply(UNREADABLE[error.code ?? ''] ?? INVALID));
  });
  server.on('connect', (_req: IncomingMessage, socket: Duplex) => {
    // Who leaves while he is told so has nothing to be told.
    socket.on('error', () => socket.destroy());
    socket.end(reply(NO_PROXY));
  });
  server.on('checkExpectation', (_req: IncomingMessage, res: ServerResponse) => {
    res.writeHead(417, { 'content-type': 'application/json', connection: 'close' });
    res.end(bodyOf('bad_input', 'The header Expect may only say 100-continue.'));
  });
}

interface Reply {
  status: string;
  code: string;
  message: string;
  headers?: string;
}

const INVALID: Reply = {
  status: '400 Bad Request',
  code: 'bad_input',
  message: 'This is no HTTP request that can be read.',
};
const NO_PROXY: Reply = {
  status: '405 Method Not Allowed',
  code: 'method_not_allowed',
  message: 'This service is no proxy; it takes GET, HEAD, POST and DELETE, not CONNECT.',
  headers: 'Allow: GET, HEAD, POST, DELETE\r\n',
};
/** By the code of Node's error. */
const UNREADABLE: Record<string, Reply> = {
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    code: 'too_large',
    message: 'The address and the headers of a request may have 16 KB together; send what is long in the body.',
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    status: '413 Content Too Large',
    code: 'too_large',
    message: 'The extensions of a chunk are too large.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    code: 'request_timeout',
    message: 'The request did not arrive in time.',
  },
};

function reply({ status, code, message, headers = '' }: Reply): string {
  const body = bodyOf(code, message);
  return `HTTP/1.1 ${status}\r\n${headers}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`;
}

function bodyOf(code: string, message: string): string {
  return JSON.stringify(errorEnvelope({ code, message }));
}
