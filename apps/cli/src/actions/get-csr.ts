import { Label } from '@flotilla/api-types';
import { certificateSigningRequests } from '@flotilla/kube/kinds';
import type { CliContext, GlobalOptions } from '../context.ts';
import { readRequests, requestTable } from '../hub/request-rows.ts';
import { formatObjects, isMachineFormat } from '../output/format.ts';
import { noResources } from '../output/table.ts';

/** The flags of `get csr`. */
export interface GetCsrOptions {
  readonly clusters?: readonly string[];
  readonly output: string;
}

/** Prints the certificate requests of clusters. */
export async function getCsr(context: CliContext, options: GetCsrOptions & GlobalOptions): Promise<void> {
  const { clusters, output } = options;
  await using hub = await context.connector.toCluster(options);
  const labelSelector = clusters ? `${Label.ClusterName} in (${clusters.join(',')})` : Label.ClusterName;
  const { items } = await hub.client.resource(certificateSigningRequests).list({ labelSelector });
  if (isMachineFormat(output)) context.out.write(formatObjects(certificateSigningRequests, items, output));
  else if (items.length === 0) context.err.write(noResources);
  else context.out.write(requestTable(await readRequests(items), context.clock.now()));
}
