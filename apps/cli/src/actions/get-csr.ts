import { Label } from '@flotilla/api-types';
import { certificateSigningRequests } from '@flotilla/kube/kinds';
import type { CliContext, GlobalOptions } from '../context.ts';
import { readRequests, requestTable } from '../hub/request-rows.ts';
import { withKind } from '../output/kubectl-name.ts';
import { objectName, printListing } from '../output/listing.ts';

/** The flags of `get csr`. */
export interface GetCsrOptions {
  readonly clusters?: readonly string[];
  readonly output: string;
}

/** Prints the certificate requests of clusters: those that are named, or all. */
export async function getCsr(
  context: CliContext,
  names: readonly string[],
  options: GetCsrOptions & GlobalOptions,
): Promise<void> {
  const { clusters, output } = options;
  await using hub = await context.connector.toCluster(options);
  const labelSelector = clusters ? `${Label.ClusterName} in (${clusters.join(',')})` : Label.ClusterName;
  await printListing(context, {
    all: (await hub.client.resource(certificateSigningRequests).list({ labelSelector })).items,
    names,
    output,
    what: 'certificate request of a cluster',
    command: 'get csr',
    nameOf: objectName,
    objectsOf: (request) => [withKind(certificateSigningRequests, request)],
    table: async (items, wide) => requestTable(await readRequests(items), wide, context.clock.now()),
  });
}
