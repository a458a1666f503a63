import { describe, expect, it } from 'vitest';
import { clusterFlags } from './cluster-flags.ts';

describe('the flags that choose the same cluster in another terminal', () => {
  const cases = {
    'nothing where nothing was chosen': { env: {}, choice: {}, flags: [] },
    'the file of the flag, from any directory': {
      env: { KUBECONFIG: '/env/config' },
      choice: { kubeconfig: '/flag/config', context: 'edge' },
      flags: ['--kubeconfig', '/flag/config', '--context', 'edge'],
    },
    'the file of the environment, which another terminal need not have': {
      env: { KUBECONFIG: '/env/config' },
      choice: {},
      flags: ['--kubeconfig', '/env/config'],
    },
    'no file where the environment has several': {
      env: { KUBECONFIG: '/env/a:/env/b' },
      choice: { context: 'edge' },
      flags: ['--context', 'edge'],
    },
  };
  it.for(Object.entries(cases))('%s', ([, { env, choice, flags }]) => {
    expect(clusterFlags({ env }, choice)).toEqual(flags);
  });

  it('name a relative file by its whole path', () => {
    expect(clusterFlags({ env: {} }, { kubeconfig: 'hub.yaml' })).toEqual([
      '--kubeconfig',
      `${process.cwd()}/hub.yaml`,
    ]);
  });
});
