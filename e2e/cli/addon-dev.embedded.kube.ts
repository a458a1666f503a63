import { mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
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
    await says(dev, /the program of the add-on ended with 1; it is started again when you save a file/);
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

  it('refuses a directory without an add-on, and says how to begin one', async () => {
    const shell = await openShell(directory);
    expect(await shell.run('flotilla addon dev .')).toMatchObject({
      code: 2,
      err: expect.stringMatching(/there is no src\/main\.ts in .*\n.*npm create flotilla-addon my-addon/),
    });
  });
});
