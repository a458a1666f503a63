import { parseOptions } from '@flotilla/kube/process';
import { describe, expect, it } from 'vitest';
import { agentFlags, bootstrapFiles, checkAddonAuth } from './flags.ts';

const filesOf = (...argv: string[]) => {
  const parsed = parseOptions(agentFlags, { argv, env: {} });
  if (parsed.kind !== 'run') throw new Error(parsed.kind);
  return bootstrapFiles(parsed.values);
};

describe('the bootstrap kubeconfigs of the flags', () => {
  it('[registration-agent 19.1-9, 19.6-64] are required', () => {
    expect(() => filesOf()).toThrow('bootstrap-kubeconfig is required');
    expect(() => filesOf('--feature-gates=MultipleHubs=true', '--bootstrap-kubeconfig=a')).toThrow(
      'bootstrap-kubeconfigs is required',
    );
  });

  it('[registration-agent 19.1-6] are several with the gate MultipleHubs, and one without', () => {
    const given = ['--bootstrap-kubeconfig=one', '--bootstrap-kubeconfigs=a', '--bootstrap-kubeconfigs=b'];
    expect(filesOf(...given)).toEqual(['one']);
    expect(filesOf(...given, '--feature-gates=MultipleHubs=true')).toEqual(['a', 'b']);
  });
});

describe('the way of add-ons to the hub', () => {
  it.each(['', 'csr'])('may be %j', (auth) => {
    expect(() => checkAddonAuth(auth)).not.toThrow();
  });
  it.each(['token', 'magic'])('is refused: %j', (auth) => {
    expect(() => checkAddonAuth(auth)).toThrow(`unsupported addon-kubeclient-registration-auth: ${auth}`);
  });
});
