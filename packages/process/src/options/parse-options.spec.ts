import { KubeError } from '@flotilla/kube';
import fc from 'fast-check';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { featureGatesOption } from '../option-groups.ts';
import { defineOptions } from './definition.ts';
import { type ParseOptionsInput, parseOptions } from './parse-options.ts';

const definitions = defineOptions({
  kubeconfig: { type: 'string', description: 'Path.' },
  listen: { type: 'string', default: '127.0.0.1:8443', description: 'Address.' },
  kubeApiQps: { type: 'number', default: 0, min: 0, description: 'Limit.' },
  port: { type: 'integer', max: 65_535, description: 'Port.' },
  disableLeaderElection: { type: 'boolean', description: 'Alone.' },
  resync: { type: 'boolean', default: true, description: 'Again.' },
  leaseDuration: { type: 'duration', default: '137s', min: '1s', description: 'Lease.' },
  loggingFormat: { type: 'choice', choices: ['json', 'text'], default: 'json', description: 'Format.' },
  drivers: { type: 'list', default: ['csr'], description: 'Drivers.' },
  kubeconfigs: { type: 'list', split: false, description: 'Files.' },
  labels: { type: 'map', description: 'Labels.' },
  verbosity: { type: 'integer', flag: 'v', short: 'v', default: 0, description: 'More.' },
  featureGates: featureGatesOption({
    ClusterImporter: { default: false, stage: 'alpha', description: 'Imports.' },
    DefaultClusterSet: { default: true, stage: 'beta', description: 'A set for all.' },
    OldOne: { default: true, stage: 'ga', locked: true, description: 'Always on.' },
  }),
});

function parse(argv: readonly string[], input: Partial<ParseOptionsInput> & { file?: string } = {}) {
  const parsed = parseOptions(definitions, {
    argv: input.file === undefined ? argv : [...argv, '--config=hub.yaml'],
    env: {},
    program: 'flotilla',
    readFile: () => input.file ?? '',
    ...input,
  });
  if (parsed.kind !== 'run') throw new Error(`asked for ${parsed.kind}`);
  return parsed;
}

const values = (argv: readonly string[], input: Parameters<typeof parse>[1] = {}) => parse(argv, input).values;

describe('options', () => {
  it('have their defaults, typed by their definitions', () => {
    const options = values([]);
    expect(options).toEqual({
      kubeconfig: undefined,
      listen: '127.0.0.1:8443',
      kubeApiQps: 0,
      port: undefined,
      disableLeaderElection: false,
      resync: true,
      leaseDuration: 137_000,
      loggingFormat: 'json',
      drivers: ['csr'],
      kubeconfigs: [],
      labels: {},
      verbosity: 0,
      featureGates: { ClusterImporter: false, DefaultClusterSet: true, OldOne: true },
    });
    expectTypeOf(options.kubeconfig).toEqualTypeOf<string | undefined>();
    expectTypeOf(options.listen).toEqualTypeOf<string>();
    expectTypeOf(options.port).toEqualTypeOf<number | undefined>();
    expectTypeOf(options.disableLeaderElection).toEqualTypeOf<boolean>();
    expectTypeOf(options.leaseDuration).toEqualTypeOf<number>();
    expectTypeOf(options.loggingFormat).toEqualTypeOf<'json' | 'text'>();
    expectTypeOf(options.drivers).toEqualTypeOf<readonly string[]>();
    expectTypeOf(options.labels).toEqualTypeOf<Readonly<Record<string, string>>>();
    expectTypeOf(options.featureGates).toEqualTypeOf<
      Readonly<Record<'ClusterImporter' | 'DefaultClusterSet' | 'OldOne', boolean>>
    >();
  });

  it.each([
    ['a value behind =', ['--kubeconfig=/a'], { kubeconfig: '/a' }],
    ['a value as the next word', ['--kubeconfig', '/a'], { kubeconfig: '/a' }],
    ['an empty value', ['--kubeconfig='], { kubeconfig: '' }],
    ['numbers as the next word', ['--v', '0', '--kube-api-qps', '5.5'], { verbosity: 0, kubeApiQps: 5.5 }],
    ['a boolean alone', ['--disable-leader-election'], { disableLeaderElection: true }],
    ['a boolean with a value', ['--resync=false'], { resync: false }],
    [
      'a boolean as Go reads it',
      ['--resync=F', '--disable-leader-election=1'],
      { resync: false, disableLeaderElection: true },
    ],
    ['the last of a repeated value', ['--port=1', '--port=2'], { port: 2 }],
    [
      'a comma list and its repetition',
      ['--drivers=csr,grpc', '--drivers', 'token'],
      { drivers: ['csr', 'grpc', 'token'] },
    ],
    ['an empty list', ['--drivers='], { drivers: [] }],
    ['elements with commas', ['--kubeconfigs=/a,b', '--kubeconfigs=/c'], { kubeconfigs: ['/a,b', '/c'] }],
    ['a map', ['--labels=a=b,c=d=e', '--labels=f='], { labels: { a: 'b', c: 'd=e', f: '' } }],
    ['a duration', ['--lease-duration=1m30s'], { leaseDuration: 90_000 }],
    ['a short flag', ['-v', '4'], { verbosity: 4 }],
    ['a short flag glued', ['-v4'], { verbosity: 4 }],
    ['a short flag with =', ['-v=4'], { verbosity: 4 }],
    [
      'feature gates',
      ['--feature-gates=ClusterImporter=true,DefaultClusterSet=false', '--feature-gates=OldOne=true'],
      { featureGates: { ClusterImporter: true, DefaultClusterSet: false, OldOne: true } },
    ],
  ])('read %s', (_, argv, expected) => {
    expect(values(argv)).toMatchObject(expected);
  });

  it('are read from a file: numbers, lists, maps and gates as YAML has them', () => {
    const file = `
# the hub
kube-api-qps: 20
resync: false
lease-duration: 1m
drivers: [csr, "a,b"]
labels: { a: 1, b: 1.10 }
feature-gates:
  ClusterImporter: true
v: 5
`;
    expect(values([], { file })).toMatchObject({
      kubeApiQps: 20,
      resync: false,
      leaseDuration: 60_000,
      drivers: ['csr', 'a,b'],
      labels: { a: '1', b: '1.10' },
      featureGates: { ClusterImporter: true, DefaultClusterSet: true },
      verbosity: 5,
    });
  });

  it('are taken from the flag, then the environment, then the file, then the default', () => {
    const file = 'port: 1\nlisten: file\nkubeconfig: file\n';
    const env = { FLOTILLA_PORT: '2', FLOTILLA_LISTEN: 'env' };
    const { values: seen, sources } = parse(['--port=3'], { file, env });
    expect(seen).toMatchObject({ port: 3, listen: 'env', kubeconfig: 'file', resync: true });
    expect(sources).toMatchObject({ port: 'flag', listen: 'env', kubeconfig: 'file', resync: 'default' });
  });

  it('of type list come from one source only, the strongest', () => {
    expect(values(['--drivers=grpc'], { env: { FLOTILLA_DRIVERS: 'token' } }).drivers).toEqual(['grpc']);
  });

  it('do not take the links of a Kubernetes Service for settings', () => {
    expect(values([], { env: { FLOTILLA_PORT: 'tcp://10.0.0.1:443' } }).port).toBeUndefined();
  });

  it('take the path of the file from the environment too', () => {
    const readFile = (path: string) => `listen: ${path}`;
    expect(values([], { env: { FLOTILLA_CONFIG: '/etc/hub.yaml' }, readFile }).listen).toBe('/etc/hub.yaml');
  });

  it('accept _ for - in names, with a warning, but not in values', () => {
    const { values: seen, warnings } = parse(['--lease_duration=2s', '--kubeconfig=/my_file']);
    expect(seen).toMatchObject({ leaseDuration: 2000, kubeconfig: '/my_file' });
    expect(warnings).toEqual(['--lease_duration is read as --lease-duration']);
  });

  it('warn when a deprecated one is used', () => {
    const old = defineOptions({ old: { type: 'string', deprecated: 'use --new', description: 'Old.' } });
    const warnings = (argv: string[]) => {
      const parsed = parseOptions(old, { argv, env: {} });
      return parsed.kind === 'run' ? parsed.warnings : [];
    };
    expect(warnings(['--old=x'])).toEqual(['--old is deprecated: use --new']);
    expect(warnings([])).toEqual([]);
  });

  it('answer --help and --version before any validation', () => {
    const ask = (argv: string[]) =>
      parseOptions(definitions, { argv, env: { FLOTILLA_PORT: 'x' }, program: 'flotilla' }).kind;
    expect(ask(['--help', '--nonsense'])).toBe('help');
    expect(ask(['-h'])).toBe('help');
    expect(ask(['--version'])).toBe('version');
  });
});

describe('a wrong option', () => {
  it.each([
    [
      'an unknown flag',
      ['--lease-duratoin=1s'],
      '--lease-duratoin is not a known flag (did you mean --lease-duration?)',
    ],
    ['a flag like no other', ['--xyzzy'], '--xyzzy is not a known flag'],
    ['a word that is not a flag', ['start'], '"start" is not expected; all options are flags, --name=value'],
    ['a missing value at the end', ['--kubeconfig'], '--kubeconfig needs a value; write --kubeconfig=<string>'],
    [
      'a flag in place of a value',
      ['--kubeconfig', '--resync'],
      '--kubeconfig needs a value; write --kubeconfig=<string>',
    ],
    ['a missing config file name', ['--config'], '--config needs a value, the path of a YAML file'],
    [
      'a duration without a unit',
      ['--lease-duration=137'],
      '--lease-duration=137 is not a duration; write 137s for seconds',
    ],
    ['a duration too short', ['--lease-duration=1ms'], '--lease-duration=1ms is too short; the least is 1s'],
    ['a fraction', ['--port=1.5'], '--port=1.5 is not a whole number'],
    ['no number', ['--kube-api-qps=many'], '--kube-api-qps=many is not a number'],
    ['a number too large', ['--port=70000'], '--port=70000 is too large; the most is 65535'],
    ['a number too small', ['--kube-api-qps=-1'], '--kube-api-qps=-1 is too small; the least is 0'],
    ['no boolean', ['--resync=maybe'], '--resync=maybe is neither true nor false'],
    [
      'an unknown choice',
      ['--logging-format=jsno'],
      '--logging-format=jsno is unknown; use json, text (did you mean json?)',
    ],
    ['no pair', ['--labels=a'], '--labels=a has "a", which is not key=value'],
    [
      'an unknown gate',
      ['--feature-gates=ClusterImport=true'],
      'names the unknown feature gate ClusterImport (did you mean ClusterImporter?); known are ClusterImporter, DefaultClusterSet, OldOne',
    ],
    [
      'a gate of the prototype',
      ['--feature-gates=toString=true'],
      'names the unknown feature gate toString; known are',
    ],
    [
      'a gate that is not boolean',
      ['--feature-gates=ClusterImporter=yes'],
      'sets ClusterImporter to yes; use true or false',
    ],
    ['a locked gate', ['--feature-gates=OldOne=false'], 'sets OldOne, which is locked to true'],
  ])('says so for %s', (_, argv, message) => {
    expect(() => values(argv)).toThrow(message);
  });

  it('of the environment is named by its variable', () => {
    expect(() => values([], { env: { FLOTILLA_PORT: 'x' } })).toThrow('FLOTILLA_PORT=x is not a whole number');
  });

  it.each([
    ['an unknown key', '# first\nlistn: x', 'hub.yaml:2 listn is not a known option (did you mean listen?)'],
    ['a wrong value', 'listen: a\nport: many', 'hub.yaml:2 port: many is not a whole number'],
    ['a list for a value', 'port: [1]', 'hub.yaml:1 port: [1] has a list or map where one value is expected'],
    ['a map for a list', 'drivers: {a: b}', 'hub.yaml:1 drivers: {a: b} has a map where a list is expected'],
    ['a nested value', 'drivers: [[a]]', 'hub.yaml:1 drivers is neither a value nor a list or map of values'],
    ['no value', 'port:', 'hub.yaml:1 port is neither a value nor a list or map of values'],
    ['broken YAML', 'a: b: c', 'hub.yaml:1 is not valid YAML'],
    ['a list of all', '- a', 'hub.yaml is not a map'],
  ])('of the file is named by file and line: %s', (_, file, message) => {
    expect(() => values([], { file })).toThrow(message);
  });

  it('is reported together with all others, in one Config error with a hint', () => {
    try {
      values(['--port=x', '--nonsense-flag'], { env: { FLOTILLA_HUB_LEASE_DURATION: 'y' }, program: 'flotilla-hub' });
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(KubeError);
      expect(error).toMatchObject({ code: 'Config', hint: 'See flotilla-hub --help for all options.' });
      expect(String(error)).toContain('3 options:\n  --nonsense-flag');
    }
  });

  it('that is required and absent is named with its meaning', () => {
    const required = defineOptions({
      clusterName: { type: 'string', required: true, description: 'Name on the hub.' },
    });
    expect(() => parseOptions(required, { argv: [], env: {} })).toThrow('--cluster-name is required: Name on the hub.');
  });

  it('that is a secret is not repeated', () => {
    const validate = () => 'is not a token';
    const secret = defineOptions({ token: { type: 'string', secret: true, validate, description: 'Token.' } });
    expect(() => parseOptions(secret, { argv: ['--token=hunter2'], env: {} })).toThrow(
      '--token=<redacted> is not a token',
    );
  });

  it('cannot be defined twice', () => {
    expect(() =>
      defineOptions({
        a: { type: 'string', flag: 'same', description: 'A.' },
        b: { type: 'string', flag: 'same', description: 'B.' },
      }),
    ).toThrow('option b has the flag --same, which is that of option a; give it another');
    expect(() => defineOptions({ help: { type: 'boolean', description: 'Help.' } })).toThrow('the built-in --help');
  });

  it('in a file that cannot be read names the file', () => {
    const readFile = () => {
      throw Object.assign(new Error('ENOENT: no such file'), { code: 'ENOENT' });
    };
    expect(() => values(['--config=/nowhere.yaml'], { readFile })).toThrow(
      'cannot read the file of --config=/nowhere.yaml',
    );
  });

  it('is a Config error whatever the command line is', () => {
    const word = fc.oneof(
      fc.string(),
      fc.constantFrom(
        '--',
        '-',
        '--port',
        '--drivers=',
        '-v',
        '--v=',
        '--labels=,,=',
        '--config=x',
        '--no-resync',
        '-xyz',
      ),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 6 }), (argv) => {
        try {
          parseOptions(definitions, { argv, env: {}, readFile: () => '' });
        } catch (error) {
          expect(error).toMatchObject({ code: 'Config' });
        }
      }),
    );
  });
});

it('reads 0 as the default where the definition says so, and refuses what is below the least otherwise', () => {
  const zeroes = defineOptions({
    burst: { type: 'integer', default: 100, min: 1, zeroIsDefault: true, description: 'Burst.' },
    retry: { type: 'duration', default: '26s', min: '1s', zeroIsDefault: true, description: 'Retry.' },
  });
  const read = (...argv: string[]) => parseOptions(zeroes, { argv, env: {} });
  expect(read('--burst=0', '--retry=0s')).toMatchObject({ values: { burst: 100, retry: 26_000 } });
  expect(() => read('--burst=-1')).toThrow('--burst=-1 is too small; the least is 1');
  expect(() => read('--retry=1ms')).toThrow('--retry=1ms is too short; the least is 1s');
});

it('switches all gates of a stage, but for those that are named themselves or locked', () => {
  const gates = (text: string) => values([`--feature-gates=${text}`]).featureGates;
  expect(gates('AllAlpha=true')).toEqual({ ClusterImporter: true, DefaultClusterSet: true, OldOne: true });
  expect(gates('ClusterImporter=false,AllAlpha=true,AllBeta=false')).toEqual({
    ClusterImporter: false,
    DefaultClusterSet: false,
    OldOne: true,
  });
  expect(() => gates('AllAlpha=yes')).toThrow('sets AllAlpha to yes; use true or false');
});
