import { type ServerResponse, STATUS_CODES } from 'node:http';
import { type Duplex, pipeline } from 'node:stream';
import type { HeaderList, MemberAnswer } from '../member/member.ts';
import { type StatusBody, statusBody } from '../member/status-body.ts';

/** Answers a request with a Status, or ends it if its answer has begun. */
export function sendStatus(response: ServerResponse, status: StatusBody): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(status.code, Object.fromEntries(statusHeaders(status)));
  response.end(statusBody(status));
}

/** The same on a connection that asked for another protocol and does not get it. */
export function writeStatus(socket: Duplex, status: StatusBody): void {
  const body = statusBody(status);
  const length = ['content-length', String(Buffer.byteLength(body))] as const;
  // A caller that never ends its side would keep the connection otherwise, and need not have said who it is.
  socket.end(headText(status.code, [...statusHeaders(status), length]) + body, () => socket.destroy());
}

const statusHeaders = ({ retryAfterSeconds }: StatusBody): HeaderList => [
  ['content-type', 'application/json'],
  ...(retryAfterSeconds === undefined ? [] : [['retry-after', String(retryAfterSeconds)] as const]),
];

/** Passes on why the cluster does not switch protocols. */
export function writeAnswer(socket: Duplex, { status, headers, body }: MemberAnswer): void {
  socket.write(
    headText(
      status,
      headers.filter(([name]) => name !== 'content-length'),
    ),
  );
  pipeline(body, socket, () => undefined);
}

/** Grants another protocol. What follows belongs to it. */
export function switchProtocols(socket: Duplex, protocol: string, headers: HeaderList): void {
  const own = [
    ['connection', 'Upgrade'],
    ['upgrade', protocol],
  ] as const;
  socket.write(lines(101, [...headers, ...own]));
}

const headText = (status: number, headers: HeaderList): string => lines(status, [...headers, ['connection', 'close']]);

const lines = (status: number, headers: HeaderList): string =>
  [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    '',
    '',
  ].join('\r\n');
