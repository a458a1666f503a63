import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { manifestErrors } from './deployment-manifests.ts';

const role = (verb: string) =>
  `kind: ClusterRole\nrules:\n  - { apiGroups: [""], resources: [pods], verbs: ["${verb}"] }\n`;
const deployment = (pod: string) => `kind: Deployment\nspec: { template: { spec: ${pod} } }\n`;

it.each([
  ['a right without wildcard', role('get'), []],
  ['a wildcard', role('*'), ['a.yaml: grants something by wildcard']],
  [
    'a container without limits, after a good object',
    `${role('get')}---\n${deployment('{ containers: [{ name: c }] }')}`,
    [
      'a.yaml: may run as root: set runAsNonRoot',
      'a.yaml: c can write to its root file system: set readOnlyRootFilesystem',
    ],
  ],
  [
    'a container with them',
    deployment(
      '{ securityContext: { runAsNonRoot: true }, containers: [{ securityContext: { readOnlyRootFilesystem: true } }] }',
    ),
    [],
  ],
  [
    'a probe that does not speak as the process listens',
    deployment(
      '{ securityContext: { runAsNonRoot: true }, containers: [{ name: c, args: [--listen=0.0.0.0:1], livenessProbe: { httpGet: { path: /livez } }, securityContext: { readOnlyRootFilesystem: true } }] }',
    ),
    ['a.yaml: c serves its health over HTTPS: set scheme: HTTPS of its probes'],
  ],
  ['a deployment of nothing', deployment('{ securityContext: { runAsNonRoot: true } }'), ['a.yaml: runs no container']],
  ['nothing', '', ['a.yaml: has no objects']],
])('a manifest with %s', async (_, text, errors) => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'manifests-'));
  await writeFile(join(directory.path, 'a.yaml'), text);
  expect(manifestErrors(pathToFileURL(`${directory.path}/`))).toEqual(errors);
});
