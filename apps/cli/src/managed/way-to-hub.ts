import { RegistrationDriverName } from '@flotilla/api-types';
import { CliError } from '../errors/cli-error.ts';
import type { EarlierReach } from '../hub-access/earlier-reach.ts';
import { checkGrpcServer } from './grpc-address.ts';
import type { HubReach, ReachInput, ReachOptions } from './hub-reach.ts';
import { checkServer } from './preflight.ts';
import { reachApiServer } from './reach-api-server.ts';

/** How a cluster with an auth type reaches the hub that it joins. */
export interface WayToHub {
  /** Where the hub is, from the flags or as an earlier `join` has set it. Throws for what cannot be an address. */
  addressOf(options: ReachOptions, earlier?: EarlierReach): string;
  reach(input: ReachInput): Promise<HubReach>;
}

const byApiServer: WayToHub = {
  addressOf: ({ hubApiserver }, earlier) => checkServer(hubApiserver ?? earlier?.hub?.server),
  reach: reachApiServer,
};

const byGrpcServer: WayToHub = {
  addressOf({ grpcServer, proxyUrl, discovery }, earlier) {
    if (proxyUrl === undefined) return checkGrpcServer(grpcServer ?? earlier?.grpc?.url);
    const flag = discovery ? '--proxy-server-address' : '--proxy-url';
    const hint = 'Leave it out: the agent reaches the gRPC server directly.';
    throw new CliError('usage', `${flag} has no effect with --registration-auth grpc`, hint);
  },
  async reach(input) {
    // Apart, because other auth types do not need gRPC.
    const { reachGrpcServer } = await import('./reach-grpc-server.ts');
    return reachGrpcServer(input);
  },
};

/** All auth types but grpc use the API server. */
export const wayToHub = (authType: string): WayToHub =>
  authType === RegistrationDriverName.Grpc ? byGrpcServer : byApiServer;
