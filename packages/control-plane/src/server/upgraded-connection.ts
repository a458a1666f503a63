import { STATUS_CODES } from 'node:http';
import { type Duplex, Readable } from 'node:stream';
import { type ApiRequest, type ApiResponse, isWhole } from '../contracts/exchange.ts';
import type { UpgradeOutcome } from '../contracts/upgrade.ts';

/** Joins a client that asked for another protocol with the server that grants it, or writes why not. */
export function joinUpgraded(socket: Duplex, head: Buffer, { headers }: ApiRequest, outcome: UpgradeOutcome): void {
  if (!outcome.switched) {
    refuse(socket, outcome.answer);
    return;
  }
  if (head.length > 0) socket.unshift(head);
  const own = { ...outcome.headers, connection: 'Upgrade', upgrade: headers.upgrade ?? '' };
  socket.write(headText(101, own));
  passOn(socket, outcome.socket);
  passOn(outcome.socket, socket);
}

function refuse(socket: Duplex, { status, headers, body }: ApiResponse): void {
  const { 'content-length': _, ...kept } = headers;
  socket.write(headText(status, { ...kept, connection: 'close' }));
  Readable.from(isWhole(body) ? [Buffer.from(body)] : body).pipe(socket);
}

/** When one side has ended, the other gets the rest and ends too; when one breaks, so does the other. */
function passOn(from: Duplex, to: Duplex): void {
  from.pipe(to);
  from.on('error', () => to.destroy());
  from.on('close', () => {
    if (from.readableEnded) to.end(() => to.destroy());
    else to.destroy();
  });
}

function headText(status: number, headers: ApiResponse['headers']): string {
  const lines = Object.entries(headers).flatMap(([name, value]) => [value].flat().map((one) => `${name}: ${one}`));
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, ...lines, '', ''].join('\r\n');
}
