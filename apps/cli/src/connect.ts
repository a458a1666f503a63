import { type ClusterAccess, createKubeClient, defaultAccess, type KubeClient } from '@flotilla/kube';
import type { CliContext, GlobalOptions } from './context.ts';

/** Whom API servers record as owner of what the command line writes. */
export const fieldManager = 'flotilla-cli';

/** A cluster that the user named. */
export interface Connection extends AsyncDisposable {
  readonly client: KubeClient;
  readonly access: ClusterAccess;
}

/** Connects as kubectl would: `--kubeconfig`, KUBECONFIG, ~/.kube/config, then the service account of a pod. */
export async function connect(
  { env, clock }: CliContext,
  { kubeconfig, context }: Pick<GlobalOptions, 'kubeconfig' | 'context'>,
): Promise<Connection> {
  const source = defaultAccess({ env, clock, ...(kubeconfig && { kubeconfig }), ...(context && { context }) });
  try {
    const access = await source.current();
    const client = createKubeClient({ access: source, clock, env, fieldManager, userAgent: fieldManager });
    return {
      client,
      access,
      async [Symbol.asyncDispose]() {
        await client.close();
        source.close();
      },
    };
  } catch (error) {
    source.close();
    throw error;
  }
}
