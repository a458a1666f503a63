import type { KubeObject } from '@flotilla/schema';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AuthServer, createAuthServer, grant } from '../../fixtures/auth-server.ts';

const user = { name: 'jane', groups: ['system:authenticated'] };
const maps = '/api/v1/namespaces/default/configmaps';

/** A user who may list and watch the ConfigMap `own`, and not `other`. */
function serverWithOwnMap(): AuthServer {
  const server = createAuthServer();
  for (const name of ['own', 'other']) server.put('/configmaps', { metadata: { namespace: 'default', name } });
  const rule = { apiGroups: [''], resources: ['configmaps'], resourceNames: ['own'], verbs: ['list', 'watch'] };
  grant(server, user.name, [rule], 'default');
  return server;
}

/** The names that a list by this selector shows, or the status of its refusal. */
async function listed(server: AuthServer, fieldSelector: string, path = maps): Promise<readonly string[] | number> {
  const { status, body } = await server.call('GET', `${path}?${new URLSearchParams({ fieldSelector })}`, { user });
  if (status !== 200) return status;
  const { items } = body as { items: readonly KubeObject[] };
  return items.map(({ metadata }) => metadata?.name ?? '');
}

describe('a right to list one object by its name', () => {
  const server = serverWithOwnMap();
  const cases: Record<string, [string, readonly string[] | number]> = {
    'shows that object': ['metadata.name=own', ['own']],
    'shows it with two equals signs': ['metadata.name==own', ['own']],
    'shows it with another term that it meets': ['metadata.namespace=default,metadata.name=own', ['own']],
    'shows nothing if another term excludes it': ['metadata.name=own,metadata.name!=own', []],
    'shows nothing if two names are asked for': ['metadata.name=own,metadata.name=pwn', []],
    'does not show all': ['', 403],
    'does not show another': ['metadata.name=other', 403],
    'does not show those with other names': ['metadata.name!=own', 403],
    'does not show all by a name within an escaped value': ['metadata.name!=x\\,metadata.name=own', 403],
    'does not show all by a name within an escaped value that is well-formed': [
      'metadata.name!=x\\,metadata.name\\=own',
      403,
    ],
    'does not count for a selector that cannot be read': ['metadata.name=own,nonsense', 403],
    'does not count for a name that no path can have': ['metadata.name=own/..', 403],
  };
  test.each(Object.entries(cases))('%s', async (_, [selector, answer]) => {
    expect(await listed(server, selector)).toEqual(answer);
  });

  test('does not count for the old form of watches, which takes no name from a selector', async () => {
    const path = '/api/v1/watch/namespaces/default/configmaps';
    expect(await listed(server, 'metadata.name=own', path)).toBe(403);
  });

  test('never shows another object, whatever the selector', async () => {
    const part = fc.constantFrom(
      'metadata.name',
      'metadata.namespace',
      '=',
      '==',
      '!=',
      ',',
      '\\',
      'own',
      'other',
      'x',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 12 }), async (parts) => {
        const shown = await listed(server, parts.join(''));
        if (Array.isArray(shown)) expect(shown.filter((name) => name !== 'own')).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });
});
