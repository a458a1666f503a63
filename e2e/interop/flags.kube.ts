import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { ocmPrograms } from '../ocm/programs.ts';
import { bundleOf } from '../registration/program.ts';

type OcmProgram = keyof Awaited<ReturnType<typeof ocmPrograms>>;

/** Each command of OCM, and the one of ours that takes its place. */
const counterparts: readonly (readonly [theirs: readonly [OcmProgram, string], ours: readonly string[]])[] = [
  [
    ['registration', 'controller'],
    ['hub', 'controller'],
  ],
  [
    ['work', 'manager'],
    ['hub', 'controller'],
  ],
  [
    ['work', 'manager'],
    ['hub', 'work-manager'],
  ],
  [
    ['addon', 'manager'],
    ['hub', 'controller'],
  ],
  [
    ['addon', 'manager'],
    ['hub', 'addon-manager'],
  ],
  [
    ['addon', 'webhook-server'],
    ['hub', 'webhook-server'],
  ],
  [
    ['registration', 'webhook-server'],
    ['hub', 'webhook-server'],
  ],
  [
    ['work', 'webhook-server'],
    ['hub', 'webhook-server'],
  ],
  [
    ['registration', 'agent'],
    ['agent', 'registration'],
  ],
  [
    ['work', 'agent'],
    ['agent', 'work'],
  ],
  [['registration-operator', 'agent'], ['singleton']],
];

/** A flag as `--help` shows it. */
interface HelpFlag {
  readonly name: string;
  /** As pflag names it; empty for a boolean. */
  readonly type: string;
  readonly shownDefault?: string;
  readonly description: string;
}

const run = promisify(execFile);
let programs: Awaited<ReturnType<typeof ocmPrograms>>;
beforeAll(async () => {
  programs = await ocmPrograms();
});

/** The flags in a help text of pflag; `(default …)` ends a description. Those that it hides are deprecated, and not shown. */
function flagsIn(help: string): HelpFlag[] {
  const entries = help
    .replace(/^Global Flags:$/m, '')
    .split(/^(?=\s+(?:-\w, | {4})--)/m)
    .filter((entry) => /^\s+(?:-\w, )?\s*--/.test(entry));
  return entries.map((entry) => {
    const [, name = '', type = '', description = ''] =
      /--([\w-]+)(?: (\S+))?(?: {2,}([\s\S]*))?$/.exec(entry.trim()) ?? [];
    const shownDefault = /\(default "?([^")]*)"?\)\s*$/.exec(description)?.[1];
    return { name, type, description, ...(shownDefault !== undefined && { shownDefault }) };
  });
}

/** A value that OCM takes for a flag of this type. */
const examples: Readonly<Record<string, string>> = {
  '': 'true',
  string: 'x',
  int: '1',
  int32: '3600',
  int64: '3600',
  float32: '1.5',
  duration: '1m',
  strings: 'csr',
  stringArray: 'x',
  stringToString: 'agent.open-cluster-management.io/a=b',
  Level: '2',
  moduleSpec: 'a=1',
};

/** Values that mean something, where any text does not. */
const meaningful: Readonly<Record<string, string>> = {
  listen: '127.0.0.1:0',
  config: '/dev/null',
  manifestLimit: '1024',
};

const gatesIn = (description: string): string[] =>
  [...description.matchAll(/(\w+)=true\|false \((?:\w+ - )?default=(true|false)\)/g)].map(
    ([, name, value]) => `${name}=${value}`,
  );

function exampleOf({ name, type, shownDefault, description }: HelpFlag): string | undefined {
  if (name === 'feature-gates') return gatesIn(description).join(',');
  return meaningful[name] ?? shownDefault?.replace(/^\[(.*)\]$/, '$1') ?? examples[type];
}

/** A value that no program takes: all that is wrong with options is said at once, so that this is all that may be. */
const wrong = '--shutdown-grace-period=never';

/** What our program says of these flags. */
async function complaints([app = '', ...command]: readonly string[], flags: readonly string[]): Promise<string[]> {
  const failed = await run(process.execPath, [bundleOf(app), ...command, ...flags, wrong]).catch((error) => error);
  const said = String(failed.stderr)
    .split('\n')
    .filter((line) => line.includes('--') && !line.startsWith('See '));
  return said.filter((line) => !line.includes('--shutdown-grace-period'));
}

describe.each(counterparts)('%s', ([program, command], ours) => {
  let flags: HelpFlag[];
  beforeAll(async () => {
    const { stdout } = await run(programs[program], [command, '--help']);
    flags = flagsIn(stdout).filter(({ name }) => name !== 'help' && name !== 'version');
  });

  it('shows flags of types that this suite knows', () => {
    expect(flags.length).toBeGreaterThan(4);
    expect(flags.filter((flag) => exampleOf(flag) === undefined)).toEqual([]);
  });

  it(`has each of its flags accepted by flotilla-${ours.join(' ')}, with its default or another value`, async () => {
    expect(
      await complaints(
        ours,
        flags.map((flag) => `--${flag.name}=${exampleOf(flag)}`),
      ),
    ).toEqual([]);
  });

  it('has zero accepted for each number and time', async () => {
    const numbers = flags.filter(({ type }) => /^(u?int|float)\d*$|^duration$/.test(type));
    expect(numbers).not.toEqual([]);
    expect(
      await complaints(
        ours,
        numbers.map(({ name, type }) => `--${name}=${type === 'duration' ? '0s' : '0'}`),
      ),
    ).toEqual([]);
  });

  it('finds a flag that is not accepted', async () => {
    expect((await complaints(ours, ['--no-such-flag=1'])).join()).toContain('--no-such-flag is not a known flag');
  });
});

it.each([
  ['hub controller', '--work-driver=mqtt'],
  ['hub controller', '--work-driver=grpc'],
  ['agent work', '--workload-source-driver=mqtt'],
  ['agent work', '--workload-source-driver=kafka'],
  ['agent registration', '--addon-kubeclient-registration-auth=kerberos'],
])('flotilla-%s refuses %s in words', async (program, flag) => {
  const [app = '', ...command] = program.split(' ');
  const needed = ['--listen=0', '--kubeconfig=/dev/null', '--namespace=x', '--bootstrap-kubeconfig=/dev/null'];
  const flags = app === 'agent' && command[0] === 'registration' ? needed : needed.slice(0, 3);
  const failed = await run(process.execPath, [
    bundleOf(app),
    ...command,
    ...flags,
    '--disable-leader-election',
    flag,
  ]).catch((error) => error);
  const [name = '', value = ''] = flag.replace(/^--/, '').split('=');
  expect(failed).toMatchObject({ code: 2, stderr: expect.stringContaining(value.split(',').at(-1) ?? '') });
  expect(failed.stderr).toContain(name);
});
