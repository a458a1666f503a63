import { mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { managedClusterAddOns } from '@flotilla/api-types';
import { createKubeClient, kubeconfigAccess } from '@flotilla/kube';
import type { KubeObject } from '@flotilla/schema';
import { createProject } from 'create-flotilla-addon';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openShell, type ShellProgram } from './shell.ts';

const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'flotilla-addon-dev-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const says = (program: ShellProgram, text: string | RegExp) =>
  expect.poll(() => program.said, { timeout: 60_000, interval: 50 }).toMatch(text);

/** As `sed -i` and many editors save. */
async function saveByRename(file: string, text: string): Promise<void> {
  await writeFile(`${file}.tmp`, text);
  await rename(`${file}.tmp`, file);
}

/** The kubeconfig of the hub that it names when it begins. */
const hubOf = (program: ShellProgram): string => /kubectl --kubeconfig (\S+)/.exec(program.said)?.[1] ?? '';

/** The source of the generated add-on, with a kind of configuration of its own. */
const withOwnKind = (source: string): string =>
  `${ownKind}\n${source}`
    .replace(
      'configs: { deployment: config.deployment() },',
      'configs: { greeting: config.of(greetings, { definition }) },',
    )
    .replace(/^ *installNamespace:.*\n/m, '')
    .replace(/const \{ GREETING = .*/, "const GREETING = context.configs.greeting?.spec.text ?? 'Hello';");

const ownKind = `import { defineKind, object, type Resource, rootOf, text, toCustomResourceDefinition } from '@flotilla/schema/define';
const schema = rootOf('How clusters are greeted.', { spec: object('The greeting.', { text: text('Its words.') }) });
const names = { group: 'greeter.example.com', version: 'v1', kind: 'Greeting', plural: 'greetings', namespaced: true };
const greetings: import('@flotilla/schema').ResourceType<Resource<typeof schema>> = names;
const definition = toCustomResourceDefinition(defineKind({ resource: greetings, schema }));`;

const mayReadConfigMaps = `registration: [
    kubeClient({ permissions: (p) => p.inClusterNamespace([{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }]) }),
  ],`;

/** A program whose agent says how many config maps it sees on the hub. */
const mainWithAgent = (greeting: string): string => `
import { createAddonCli } from '@flotilla/addon-sdk';
import { configMaps } from '@flotilla/kube/kinds';
import { once } from 'node:events';
import { addon } from './addon.ts';

await createAddonCli({
  addon,
  version: '0.1.0',
  agent: {
    async run({ hub, clusterName, log }, signal) {
      const listed = await hub?.resource(configMaps).list({ namespace: clusterName });
      log.info('${greeting} from ' + clusterName, { maps: listed?.items.length });
      await once(signal, 'abort');
    },
  },
})();
`;

describe('flotilla addon dev', { timeout: 180_000 }, () => {
  it('shows what each save changes on each cluster, however an editor saves, and survives mistakes', async () => {
    const { directory: project } = await createProject(join(directory, 'greeter'));
    await symlink(modules, join(project, 'node_modules'));
    const source = join(project, 'src', 'addon.ts');
    const code = await readFile(source, 'utf8');
    const shell = await openShell(directory);
    await using dev = shell.start('flotilla addon dev ./greeter');
    for (const cluster of ['cluster1', 'cluster2']) {
      await says(dev, `${cluster}/greeter  + Deployment open-cluster-management-agent-addon/greeter-agent`);
      await says(dev, `${cluster}/greeter  is Available`);
    }
    const explained = await shell.run(`flotilla explain addon greeter --cluster cluster2 --kubeconfig ${hubOf(dev)}`);
    expect(explained).toMatchObject({ code: 0, out: expect.stringContaining('greeter on cluster2') });

    await saveByRename(source, code.replace("GREETING = 'Hello'", "GREETING = 'Goodbye'"));
    await says(dev, 'src/addon.ts was saved');
    for (const cluster of ['cluster1', 'cluster2']) {
      await says(dev, `${cluster}/greeter  ~ Deployment open-cluster-management-agent-addon/greeter-agent`);
    }
    await says(dev, /- +value: Hello\n/);
    await says(dev, /\+ +value: Goodbye\n/);
    for (const greeting of ['Ahoy', 'Servus']) {
      await saveByRename(source, code.replace("GREETING = 'Hello'", `GREETING = '${greeting}'`));
      await says(dev, new RegExp(`\\+ +value: ${greeting}\\n`));
    }

    await writeFile(
      source,
      code.replace('render(context) {', "render(context) {\n    throw new Error('out of paint');"),
    );
    await says(dev, /cluster1\/greeter {2}.*out of paint/);

    await rm(source);
    await writeFile(source, 'this is not TypeScript');
    await says(dev, /the controller of the add-on ended with 1; it is started again when you save a file/);
    await says(dev, 'SyntaxError');

    await saveByRename(join(project, 'src', 'greeting.ts'), "export const greeting = 'Wel';");
    await saveByRename(source, `import { greeting } from './greeting.ts';\n${code.replace("= 'Hello'", '= greeting')}`);
    await says(dev, /\+ +value: Wel\n/);
    await saveByRename(join(project, 'src', 'greeting.ts'), "export const greeting = 'Welcome';");
    await says(dev, /\+ +value: Welcome\n/);
    dev.interrupt();
    expect(await dev.ended).toMatchObject({
      code: 0,
      err: expect.stringMatching(/Ctrl-C ends it and leaves nothing behind\.\n$/),
    });
  });

  it('installs the kind of configuration that comes with the add-on, and what a save changes of it', async () => {
    const { directory: project } = await createProject(join(directory, 'greeter'));
    await symlink(modules, join(project, 'node_modules'));
    const source = join(project, 'src', 'addon.ts');
    const code = withOwnKind(await readFile(source, 'utf8'));
    await writeFile(source, code);
    const shell = await openShell(directory);
    await using dev = shell.start('flotilla addon dev ./greeter --clusters 1');
    await says(dev, 'cluster1/greeter  is Available');

    const explain = () => shell.run(`flotilla explain addon greeter --kubeconfig ${hubOf(dev)}`);
    expect(await explain()).toMatchObject({ code: 0, out: expect.stringContaining('greeter on cluster1') });
    await using hub = createKubeClient({ access: kubeconfigAccess({ files: [hubOf(dev)] }) });
    const greetings = await hub.dynamic({ apiVersion: 'greeter.example.com/v1', kind: 'Greeting' });
    const metadata = { namespace: 'default', name: 'polite' };
    await greetings.create({ metadata, spec: { text: 'Good day' } } as KubeObject);
    const configs = [{ group: 'greeter.example.com', resource: 'greetings', ...metadata }];
    await hub.resource(managedClusterAddOns).patch('cluster1/greeter', { type: 'merge', body: { spec: { configs } } });
    await says(dev, /\+ +value: Good day\n/);
    expect(await explain()).toMatchObject({ code: 0, out: expect.stringContaining('default/polite') });

    await saveByRename(source, code.replace("text('Its words.')", "text('Its words.', { maxLength: 8 })"));
    const tooLong = () =>
      greetings
        .patch('default/polite', { type: 'merge', body: { spec: { text: 'Good evening' } } }, { dryRun: true })
        .then(
          () => 'accepted',
          (error: Error) => error.message,
        );
    await expect.poll(tooLong, { timeout: 60_000 }).toContain('spec.text');
    dev.interrupt();
    expect(await dev.ended).toMatchObject({ code: 0 });
  });

  it('runs the agent of each cluster with its credentials for the hub, again after a save', async () => {
    const { directory: project } = await createProject(join(directory, 'greeter'));
    await symlink(modules, join(project, 'node_modules'));
    const source = join(project, 'src', 'addon.ts');
    const code = (await readFile(source, 'utf8'))
      .replace('health }', 'health, kubeClient }')
      .replace("name: 'greeter',", `name: 'greeter',\n  ${mayReadConfigMaps}`);
    await writeFile(source, code);
    const main = join(project, 'src', 'main.ts');
    await writeFile(main, mainWithAgent('hello'));
    const shell = await openShell(directory);
    await using dev = shell.start('flotilla addon dev ./greeter --run-agents');
    for (const cluster of ['cluster1', 'cluster2']) {
      await says(dev, new RegExp(`${cluster}/greeter  \\| .*hello from ${cluster}.*"maps":[0-9]`));
    }
    await saveByRename(main, mainWithAgent('welcome'));
    for (const cluster of ['cluster1', 'cluster2']) {
      await says(dev, new RegExp(`${cluster}/greeter  \\| .*welcome from ${cluster}`));
    }
    dev.interrupt();
    expect(await dev.ended).toMatchObject({ code: 0 });
  });

  it('refuses to run agents of an add-on without an agent program, before the fleet starts', async () => {
    const { directory: project } = await createProject(join(directory, 'greeter'));
    await symlink(modules, join(project, 'node_modules'));
    const shell = await openShell(directory);
    const { code, out, err } = await shell.run('flotilla addon dev ./greeter --run-agents');
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(/this add-on has no agent program.*\n.*createAddonCli/);
  });

  it('refuses a directory without an add-on, and says how to begin one', async () => {
    const shell = await openShell(directory);
    expect(await shell.run('flotilla addon dev .')).toMatchObject({
      code: 2,
      err: expect.stringMatching(/there is no src\/main\.ts in .*\n.*npm create flotilla-addon my-addon/),
    });
  });
});
