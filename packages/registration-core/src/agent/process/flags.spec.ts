import { defineOptions, parseOptions } from '@flotilla/process';
import { describe, expect, it } from 'vitest';
import { type Driver, defineDriver, requireFlags } from '../../contract/index.ts';
import { agentOptionsOf } from './agent-options.ts';
import { registrationFlags } from './flags.ts';

const passphrase = { type: 'string', default: '', description: 'What only the hub knows.' } as const;
const driver = (authType: string, options: Parameters<typeof defineOptions>[0]): Driver => ({
  ...defineDriver({
    authType,
    options: { agent: defineOptions(options), hub: {} },
    agent: () => {
      throw new Error('not in this test');
    },
    hub: () => {
      throw new Error('not in this test');
    },
  }),
});

describe('the flags of an agent', () => {
  it('are those of OCM and of its drivers', () => {
    const flags = registrationFlags([driver('a', { passphrase })]);
    const parsed = parseOptions(flags, { argv: ['--passphrase=x', '--spoke-cluster-name=c1'], env: {} });
    expect(parsed).toMatchObject({ kind: 'run', values: { passphrase: 'x', spokeClusterName: 'c1' } });
  });

  it.each([
    [[], false],
    [['--report-cluster-id'], true],
  ])('%j decide whether the claim id.k8s.io is reported where the cluster has none: %s', (argv, isReported) => {
    const parsed = parseOptions(registrationFlags([driver('a', {})]), { argv, env: {} });
    if (parsed.kind !== 'run') throw new Error(parsed.kind);
    expect(agentOptionsOf(parsed.values)).toMatchObject({ reportClusterId: isReported });
  });

  it('may be shared by two drivers with one definition', () => {
    expect(registrationFlags([driver('a', { passphrase }), driver('b', { passphrase })])).toHaveProperty('passphrase');
  });

  it('may be shared by drivers that bring their own copies of a definition', () => {
    const copy = { ...passphrase };
    expect(registrationFlags([driver('a', { passphrase }), driver('b', { passphrase: copy })])).toHaveProperty(
      'passphrase',
    );
  });

  it('are required of those who choose the driver, and of nobody else', () => {
    const required = { type: 'string', required: true, description: 'What only the hub knows.' } as const;
    const [csr, jwt] = [driver('csr', {}), driver('jwt', { passphrase: required })];
    const parse = (argv: string[]) => {
      const parsed = parseOptions(registrationFlags([csr, jwt]), { argv, env: {} });
      return parsed.kind === 'run' ? parsed.values : {};
    };
    expect(() => requireFlags(csr, 'agent', parse([]))).not.toThrow();
    expect(() => requireFlags(jwt, 'agent', parse(['--passphrase=x']))).not.toThrow();
    expect(() => requireFlags(jwt, 'agent', parse([]))).toThrow(
      '--passphrase is required with --registration-auth=jwt',
    );
  });

  it('list the auth types', () => {
    const { registrationAuth } = registrationFlags([driver('csr', {}), driver('jwt', {})]);
    expect(registrationAuth.description).toContain('csr, jwt');
  });

  it('may be required by one driver and not by another', () => {
    const required = { ...passphrase, required: true } as const;
    const [csr, jwt] = [driver('csr', { passphrase }), driver('jwt', { passphrase: required })];
    const parsed = parseOptions(registrationFlags([csr, jwt]), { argv: [], env: {} });
    const values = parsed.kind === 'run' ? parsed.values : {};
    expect(() => requireFlags(csr, 'agent', values)).not.toThrow();
    expect(() => requireFlags(jwt, 'agent', values)).toThrow('--passphrase is required with --registration-auth=jwt');
  });

  it('are refused if two drivers define one of them differently', () => {
    const other = { ...passphrase, default: 'x' };
    expect(() => registrationFlags([driver('a', { passphrase }), driver('b', { passphrase: other })])).toThrow(
      'the drivers a and b both define the option passphrase',
    );
  });
});
