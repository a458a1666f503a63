import { namespaces } from '@flotilla/kube/kinds';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { visibleCommands } from '../commands/command.ts';
import { ask, bootstrapUser, register } from '../fixtures/agents.ts';
import { type CliWorld, offlineContext, startWorld } from '../fixtures/cli.ts';
import { createProgram } from '../program.ts';

/** A command that prints objects, and how `-o name` begins. */
interface ObjectCommand {
  readonly command: string;
  readonly name: string;
}

/** A command that lists objects, with a column that only `-o wide` has. */
interface ListCommand extends ObjectCommand {
  readonly wide: string;
}

const inGroup = (group: string, kind: string, name: string) => `${kind}.${group}.open-cluster-management.io/${name}`;
const configMap = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: greeting, namespace: default }\n';
const prod = inGroup('cluster', 'managedclusterset', 'prod');
const binding = inGroup('cluster', 'managedclustersetbinding', 'prod');
const cluster1 = inGroup('cluster', 'managedcluster', 'cluster1');
const greeter = inGroup('addon', 'managedclusteraddon', 'greeter');

const lists: readonly ListCommand[] = [
  { command: 'get clusters', name: cluster1, wide: 'AGE' },
  { command: 'get clustersets', name: prod, wide: 'SELECTOR' },
  { command: 'get placements', name: inGroup('cluster', 'placement', 'web'), wide: 'CLUSTERS' },
  { command: 'get works', name: inGroup('work', 'manifestwork', 'hello'), wide: 'FEEDBACK' },
  { command: 'get replicasets', name: inGroup('work', 'manifestworkreplicaset', 'rolled'), wide: 'STRATEGIES' },
  { command: 'get addons', name: inGroup('addon', 'clustermanagementaddon', 'greeter'), wide: 'AGE' },
  { command: 'get csr', name: 'certificatesigningrequest.certificates.k8s.io/cluster1-', wide: 'REQUESTEDDURATION' },
];

const changes: readonly ObjectCommand[] = [
  { command: 'create clusterset edge --dry-run', name: inGroup('cluster', 'managedclusterset', 'edge') },
  { command: 'delete clusterset spare --dry-run', name: inGroup('cluster', 'managedclusterset', 'spare') },
  { command: 'clusterset set prod --clusters cluster1 --dry-run', name: cluster1 },
  { command: 'clusterset set prod --namespaces shop --dry-run', name: prod },
  { command: 'clusterset bind prod --dry-run', name: binding },
  { command: 'clusterset unbind prod --dry-run', name: binding },
  { command: 'create placement other --dry-run', name: inGroup('cluster', 'placement', 'other') },
  { command: 'create sampleapp --dry-run', name: 'applicationset.argoproj.io/sampleapp-appset' },
  { command: 'create work other -f - -c cluster1 --dry-run', name: inGroup('work', 'manifestwork', 'other') },
  { command: 'addon create greeter -f - --dry-run', name: inGroup('addon', 'addontemplate', 'greeter-0.0.1') },
  { command: 'addon enable --names greeter -c cluster1 --dry-run', name: greeter },
  { command: 'addon disable --names greeter -c cluster1 --dry-run', name: greeter },
  {
    command: 'install hub-addon --names helloworld --dry-run',
    name: inGroup('addon', 'addontemplate', 'helloworld'),
  },
  { command: 'init --dry-run', name: 'customresourcedefinition.apiextensions.k8s.io/' },
];

/** Commands whose result is of another form, and what `-o name` prints of it. */
const results = [
  { command: 'accept --clusters cluster1 --dry-run', name: cluster1 },
  { command: 'delete work hello -c cluster1 --dry-run', name: inGroup('work', 'manifestwork', 'hello') },
  { command: 'token list', name: 'abcdef' },
  { command: 'doctor', name: 'controllers' },
] as const;

describe('-o', () => {
  let world: CliWorld<'hub'>;
  const hub = (command: string, ...flags: string[]) =>
    world.flotilla([...command.split(' '), ...flags, '--kubeconfig', 'hub'], { stdin: configMap });
  const printed = async (command: string, format: string) => {
    const { out, err } = await hub(command, '-o', format);
    expect(out, `${command} -o ${format}: ${err}`).not.toBe('');
    return out;
  };

  beforeAll(async () => {
    world = await startWorld('hub');
    const { client } = world.planes.hub;
    for (const command of ['init', 'create clusterset prod', 'create clusterset spare', 'create placement web']) {
      await hub(command);
    }
    await register(client, 'cluster1');
    await client.resource(namespaces).create({ metadata: { name: 'cluster1' } });
    await ask(world.planes.hub.clientOf(bootstrapUser), 'cluster1');
    for (const command of [
      'clusterset bind prod',
      'create work hello -f - -c cluster1',
      'create work rolled -f - --placement default/web --replicaset',
      'addon create greeter -f -',
      'addon enable --names greeter -c cluster1',
      'token create abcdef.0123456789abcdef',
    ]) {
      expect(await hub(command), command).toMatchObject({ code: 0 });
    }
  });
  afterAll(() => world[Symbol.asyncDispose]());

  it.each([...lists, ...changes])('of `$command` is a List, a stream of documents, or names', async (each) => {
    const list = JSON.parse(await printed(each.command, 'json'));
    expect(list).toMatchObject({ apiVersion: 'v1', kind: 'List' });
    expect(list.items[0]).toMatchObject({ apiVersion: expect.any(String), kind: expect.any(String) });
    const documents = parseAllDocuments(await printed(each.command, 'yaml'));
    expect(documents.map((document) => document.toJS().kind)).toEqual(list.items.map(({ kind }: never) => kind));
    const [first] = (await printed(each.command, 'name')).split('\n');
    expect(first).toContain(each.name);
  });

  it.each(lists)('wide of `$command` has all columns of the table, and more', async ({ command, wide }) => {
    const columns = (text: string) => (text.split('\n')[0] ?? '').split(/ {3,}/);
    const narrow = columns(await printed(command, 'table'));
    const shown = columns(await printed(command, 'wide'));
    expect(shown).toEqual(expect.arrayContaining(narrow));
    expect([narrow.includes(wide), shown.includes(wide)]).toEqual([false, true]);
  });

  it.each(results)('of `$command` is a value, or names', async ({ command, name }) => {
    expect(JSON.parse(await printed(command, 'json'))).toBeTypeOf('object');
    expect(parseAllDocuments(await printed(command, 'yaml'))).toHaveLength(1);
    expect((await printed(command, 'name')).split('\n')).toContain(name);
  });

  it('prints nothing but JSON for empty lists and refused names too', async () => {
    expect(JSON.parse((await hub('get works nope', '-o', 'json')).out)).toMatchObject({ items: [] });
    expect(await hub('get works nope', '-o', 'json')).toMatchObject({ code: 1 });
  });
});

/** Commands that print no result of their own. */
const without = ['completion', 'config', 'options', 'proxy', 'proxy kubectl', 'addon dev'];
/** `-o` is a file there, as karmadactl has it. */
const toFile = ['get kubeconfig'];

describe('every command', () => {
  const commandsOf = (command: Command, path = ''): [string, Command][] =>
    visibleCommands(command).flatMap((child) => {
      const words = `${path} ${child.name()}`.trim();
      const below = commandsOf(child, words);
      return below.length > 0 ? below : [[words, child] satisfies [string, Command]];
    });
  const formats = (command: Command) => command.options.find(({ long }) => long === '--output')?.argChoices ?? [];
  const commands = commandsOf(createProgram(offlineContext()));

  it.each(commands)('prints for programs: %s', (words, command) => {
    if (toFile.includes(words)) return expect(formats(command)).toEqual([]);
    const expected = without.includes(words) ? [] : ['json', 'yaml'];
    expect(formats(command)).toEqual(expect.arrayContaining(expected));
    expect(formats(command).slice(-2)).toEqual(expected);
  });

  it.each(commands.filter(([words]) => lists.some(({ command }) => command === words)))(
    'lists as kubectl does: %s',
    (_, command) => expect(formats(command)).toEqual(expect.arrayContaining(['table', 'wide', 'name', 'json', 'yaml'])),
  );
});
