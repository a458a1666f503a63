import { expect, it } from 'vitest';
import { answerHeaders, headerList, headerRecord, requestHeaders } from './passed-headers.ts';

it('passes neither identity nor what is about one connection', () => {
  const sent = headerList([
    'Accept',
    'a',
    'Authorization',
    'b',
    'Impersonate-User',
    'c',
    'X-Remote-Group',
    'd',
    'Connection',
    'e',
    'Flotilla-User',
    'f',
    'Cookie',
    'g',
  ]);
  expect(requestHeaders(sent)).toEqual([['accept', 'a']]);
});

it('lets a cluster set no cookies on the hub, and open it to no other site', () => {
  expect(
    answerHeaders([
      ['set-cookie', 'x'],
      ['access-control-allow-origin', '*'],
      ['content-type', 'y'],
      ['transfer-encoding', 'chunked'],
    ]),
  ).toEqual([['content-type', 'y']]);
});

it('keeps each of several values of one name', () => {
  expect(
    headerRecord([
      ['a', '1'],
      ['a', '2'],
      ['b', '3'],
    ]),
  ).toEqual({ a: ['1', '2'], b: '3' });
});
