import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { refuseRedirect } from './redirect.policy.ts';
import { statusOfError } from './status-body.ts';

const answer = (status: number, headers: [string, string][]) => ({ status, headers, body: Readable.from([]) });

describe('an answer of a cluster', () => {
  it.each([301, 302, 303, 307, 308])(
    'that redirects by %i reaches no user, who would follow with its credentials',
    (status) => {
      const given = answer(status, [['location', 'https://elsewhere']]);
      let refused: unknown;
      try {
        refuseRedirect(given);
      } catch (error) {
        refused = error;
      }
      expect(statusOfError(refused)).toMatchObject({ code: 502, message: expect.stringContaining('redirects') });
      expect(given.body.destroyed).toBe(true);
    },
  );

  it.each<[string, number, [string, string][]]>([
    ['says that nothing has changed', 304, []],
    ['names what it has created', 201, [['location', '/api/v1/x']]],
    ['refuses', 403, []],
  ])('that %s passes', (_, status, headers) => {
    expect(() => refuseRedirect(answer(status, headers))).not.toThrow();
  });
});
