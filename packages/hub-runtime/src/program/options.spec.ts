import { csrDriver } from '@flotilla/driver-csr';
import { silentLogger } from '@flotilla/kube';
import { parseOptions } from '@flotilla/process';
import { requireFlags } from '@flotilla/registration-core/contract';
import { expect, it } from 'vitest';
import { controllerOptions, enabledDrivers } from './options.ts';

it('runs with the arguments of OCM deployments for what it does not have, and warns that it ignores them', () => {
  const argv = [
    '--hub-apiserver-url=https://hub:6443',
    '--agent-image=quay.io/agent',
    '--bootstrap-serviceaccount=ns/sa',
    '--grpc-signing-duration=720h',
    '--work-driver=kube',
    '--kube-api-burst=0',
    '--leader-election-retry-period=0s',
  ];
  const parsed = parseOptions(controllerOptions([csrDriver]), { argv, env: {} });
  expect(parsed).toMatchObject({ values: { kubeApiBurst: 100, leaderElectionRetryPeriod: 26_000 } });
  expect(parsed.kind === 'run' && parsed.warnings).toHaveLength(1);
});

it('leaves out a registration driver that it does not have, and warns', () => {
  const warnings: unknown[] = [];
  const log = { ...silentLogger, warn: (_: string, fields: object = {}) => void warnings.push(fields) };
  expect(enabledDrivers([csrDriver], ['csr'], log)).toEqual([csrDriver]);
  expect(warnings).toEqual([]);
  expect(enabledDrivers([csrDriver], ['csr', 'grpc'], log)).toEqual([csrDriver]);
  expect(warnings).toEqual([{ driver: 'grpc', known: ['csr'] }]);
});

it('asks for the flags of the drivers that are enabled, and not for those of others', () => {
  const definition = { type: 'string', required: true, description: 'What only the hub knows.' } as const;
  const jwt = { authType: 'jwt', options: { agent: {}, hub: { passphrase: definition } } };
  const parse = (argv: string[]) => {
    const parsed = parseOptions(controllerOptions([csrDriver, jwt]), { argv, env: {} });
    if (parsed.kind !== 'run') throw new Error(parsed.kind);
    return { ...parsed.values };
  };
  expect(() => requireFlags(csrDriver, 'hub', parse([]))).not.toThrow();
  expect(() => requireFlags(jwt, 'hub', parse(['--passphrase=x']))).not.toThrow();
  expect(() => requireFlags(jwt, 'hub', parse([]))).toThrow(
    '--passphrase is required with --enabled-registration-drivers=jwt',
  );
});

it('refuses works over CloudEvents', () => {
  expect(() => parseOptions(controllerOptions([csrDriver]), { argv: ['--work-driver=mqtt'], env: {} })).toThrow(
    '--work-driver=mqtt is unknown; use kube',
  );
});
