import type { AccessSource, Clock } from '@flotilla/kube';
import { fileAccess } from '@flotilla/kube/kubeconfig';
import { accessOfGrpcConfig, readGrpcConfig } from './grpc-config.ts';

/** Access by a configuration on disk. A change of it, or of a file that it names, serves the next call. */
export const grpcConfigAccess = ({ file, clock }: { readonly file: string; readonly clock: Clock }): AccessSource =>
  fileAccess({ clock, load: async (read) => accessOfGrpcConfig(await readGrpcConfig(file, read), file) });
