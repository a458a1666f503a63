import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { flotilla, offlineContext } from './fixtures/cli.ts';
import { createProgram } from './program.ts';

/** Flags that several commands of clusteradm have. */
const clusters = ['-c', '--cluster', '--clusters'];
const bundle = ['--bundle-version', '--bundle-version-overrides'];
const resources = ['--resource-qos-class', '--resource-limits', '--resource-requests'];
const images = ['--image-registry', '--image-pull-credential-file', ...bundle];
const upgrade = ['--image-registry', ...bundle, '--wait'];
/** klog's, and those of every command. */
const everywhere = ['--kubeconfig', '--context', '--dry-run', '--timeout', '-v', '--v', '--logtostderr', '--vmodule'];

/** The commands of clusteradm and their flags, as its users know them. A flag here that is not known is a regression. */
const commands: Readonly<Record<string, readonly string[]>> = {
  init: [
    ...['--feature-gates', '--force', '--wait', '-o', '--output', '--output-file', '--output-join-command-file'],
    ...['--create-namespace', '--use-bootstrap-token', ...images, ...resources],
    ...['--registration-drivers', '--hub-cluster-arn', '--aws-resource-tags', '--auto-approved-csr-identities'],
    ...['--auto-approved-arn-patterns', '--auto-approved-grpc-identities', '--grpc-server', '--grpc-endpoint-type'],
    ...['--enable-sync-labels', '--cluster-manager-values-file', '--singleton', '--singleton-name', '-f', '--values'],
    ...['--set', '--set-string', '--set-file', '--set-json', '--set-literal'],
  ],
  join: [
    ...['--hub-token', '--hub-apiserver', '--cluster-name', '--ca-file', '--force-internal-endpoint-lookup'],
    ...['--force-internal-endpoint-lookup-managed', '--proxy-url', '--proxy-ca-file', '-m', '--mode'],
    ...['--managed-cluster-kubeconfig', '--singleton', '--registration-auth', '--hub-cluster-arn'],
    ...['--managed-cluster-arn', '--grpc-server', '--grpc-ca-file', '--addon-kubeclient-registration-auth'],
    ...['--addon-token-expiration-seconds', '--client-cert-expiration-seconds', '--klusterlet-annotation'],
    ...['--feature-gates', '--klusterlet-values-file', '--enable-sync-labels', '--create-namespace', '--wait'],
    ...['--output-file', ...images, ...resources, '--capi-import', '--capi-cluster-name', '--capi-kubeconfig'],
  ],
  accept: [...clusters, '--wait', '--skip-approve-check', '--requesters'],
  unjoin: ['--cluster-name', '--purge-operator', '--output-file'],
  clean: ['--name', '--purge-operator', '--output-file'],
  'get clusters': ['--clusterset', '-o', '--output'],
  'get clustersets': ['-o', '--output'],
  'get placements': ['-n', '--namespace', '-o', '--output'],
  'get works': [...clusters, '-o', '--output'],
  'get addon': [...clusters, '-o', '--output'],
  'get hub-info': [],
  'get klusterlet-info': [],
  'get token': ['--use-bootstrap-token', '-o', '--output', '--output-file'],
  'create clusterset': [],
  'create placement': [
    ...['--namespace', '--label-selectors', '--clustersets', '--prioritizers', '--count', '--overwrite'],
  ],
  'create work': ['-f', '-R', '--clusters', '--placement', '--overwrite', '-r', '--replicaset'],
  'create sampleapp': [],
  'delete clusterset': [],
  'delete work': [...clusters, '--force'],
  'delete token': [],
  'clusterset set': ['--clusters', '--namespaces'],
  'clusterset bind': ['--namespace'],
  'clusterset unbind': ['--namespace'],
  'addon create': [
    ...['-f', '--version', '--overwrite', '--hub-registration', '--cluster-role-bind', '--labels', '--placement-ref'],
  ],
  'addon enable': ['--names', ...clusters, '-n', '--namespace', '--annotate', '--labels', '--config-file'],
  'addon disable': ['--names', ...clusters],
  'install hub-addon': ['--names', '--namespace', '--create-namespace', ...bundle, '--output-file'],
  'uninstall hub-addon': ['--names', '--namespace', '--output-file'],
  'proxy health': [
    ...['--in-cluster-proxy-cert-lookup', '--proxy-ca-cert', '--proxy-cert', '--proxy-key'],
    ...['--proxy-server-host', '--proxy-server-port', ...clusters],
  ],
  'proxy kubectl': ['--cluster', '--sa', '--args', '-i'],
  'upgrade clustermanager': [...upgrade, '--cluster-manager-values-file'],
  'upgrade klusterlet': [...upgrade, '--klusterlet-values-file'],
  version: [],
  options: [],
  config: [],
  'plugin list': [],
};

/** Flags that are known and refused, each with what to do instead. */
const refused: Readonly<Record<string, readonly string[]>> = {
  init: ['--singleton', '--singleton-name', '--values', '--set', '--set-string', '--set-file', '--set-json'],
  'install hub-addon': bundle,
  'proxy health': ['--in-cluster-proxy-cert-lookup', '--proxy-ca-cert', '--proxy-cert', '--proxy-key'],
  'proxy kubectl': ['--sa', '-i'],
  'get clusters': ['--match-server-version'],
};

/** The command that words name; undefined if there is none. */
const find = (words: string): Command | undefined =>
  words
    .split(' ')
    .reduce<Command | undefined>(
      (command, word) => command?.commands.find((child) => [child.name(), ...child.aliases()].includes(word)),
      createProgram(offlineContext()),
    );

const flagsOf = (command: Command | null): (string | undefined)[] =>
  command ? [...command.options.flatMap(({ short, long }) => [short, long]), ...flagsOf(command.parent)] : [];

describe('who knows clusteradm', () => {
  it.each(Object.entries(commands))('finds `%s` with all its flags', (words, flags) => {
    const command = find(words);
    expect(command?.name()).toBe(words === 'get addon' ? 'addons' : words.split(' ').at(-1));
    const known = flagsOf(command ?? null);
    expect([...everywhere, ...flags].filter((flag) => !known.includes(flag))).toEqual([]);
  });

  it.each(Object.entries(refused).flatMap(([words, flags]) => flags.map((flag) => [words, flag] as const)))(
    'is told why `%s %s` is not supported, and what to do instead',
    async (words, flag) => {
      const { code, err } = await flotilla([...words.split(' '), flag, 'value']);
      expect([code, err]).toEqual([2, expect.stringMatching(/^Error: --\S+ is not supported: .+\n.+\.\n$/)]);
    },
  );

  it('is shown the command that runs what --singleton would', async () => {
    const { err } = await flotilla(['init', '--singleton']);
    expect(err).toContain('`flotilla up --clusters 0 --data-dir DIRECTORY --detach`');
  });

  it('writes flags as Go programs take them', async () => {
    const known = async (...argv: string[]) => (await flotilla(argv)).code;
    // Nothing listens, which is found out after the flags were read.
    const read = 4;
    expect(await known('accept', '--clusters', 'c1', '--wait=true', '--skip_approve_check=false')).toBe(read);
    expect(await known('--timeout=5', 'get', 'clusters', '--logtostderr=true', '--v=2')).toBe(read);
    expect(await known('--dry-run', 'get', 'clusters', '-o=json')).toBe(read);
    expect(await known('delete', 'work', 'w', '-c', 'c1', '--wait=false')).toBe(read);
    expect(await known('accept', '--clusters', 'c1', '--wait=maybe')).toBe(2);
    expect(await known('accept', '--no_such_flag')).toBe(2);
  });
});
