import { readFile } from 'node:fs/promises';
import { DataKey } from '@flotilla/api-types';
import { type CachedResource, type Informers, KubeError, splitKey } from '@flotilla/kube';
import { type Secret, secrets } from '@flotilla/kube/kinds';
import type { KeyPair } from '@flotilla/kube/pki';

/** Where the authority is. */
export interface SignerAuthorityOptions {
  readonly grpcCaFile: string;
  readonly grpcKeyFile: string;
  readonly grpcSignerSecret: string;
}

/** The authority that signs client certificates. */
export interface SignerAuthority {
  /** What it is now; undefined as long as there is none. */
  current(): Promise<KeyPair | undefined>;
  /** Where it is, for the log. */
  readonly origin: string;
  /** Changes when the authority does; absent if it is read from files. */
  readonly secret?: CachedResource<Secret>;
}

/** The authority in files, as OCM mounts them, or in the Secret itself. */
export function signerAuthority(options: SignerAuthorityOptions, informers: Informers): SignerAuthority {
  const { grpcCaFile, grpcKeyFile, grpcSignerSecret } = options;
  if (!grpcCaFile !== !grpcKeyFile) {
    throw new KubeError('Config', 'only one of --grpc-ca-file and --grpc-key-file is set', {
      hint: 'Give both, or none to use the authority in --grpc-signer-secret.',
    });
  }
  return grpcCaFile ? authorityInFiles(grpcCaFile, grpcKeyFile) : authorityInSecret(grpcSignerSecret, informers);
}

const authorityInFiles = (certificateFile: string, keyFile: string): SignerAuthority => ({
  origin: certificateFile,
  async current() {
    const [certificate, key] = await Promise.all([readFile(certificateFile, 'utf8'), readFile(keyFile, 'utf8')]);
    return { certificate, key };
  },
});

function authorityInSecret(key: string, informers: Informers): SignerAuthority {
  const { namespace, name } = splitKey(key);
  if (!namespace || !name) {
    throw new KubeError('Config', `--grpc-signer-secret is ${JSON.stringify(key)}`, {
      hint: 'Name the Secret as namespace/name.',
    });
  }
  const secret = informers.resource(secrets, { namespace, fieldSelector: `metadata.name=${name}` });
  return {
    origin: `Secret ${key}`,
    secret,
    async current() {
      const data = secret.get(key)?.data;
      const certificate = textOf(data?.[DataKey.TlsCertificate]);
      const privateKey = textOf(data?.[DataKey.TlsKey]);
      return certificate && privateKey ? { certificate, key: privateKey } : undefined;
    },
  };
}

const textOf = (base64: string | undefined): string => Buffer.from(base64 ?? '', 'base64').toString('utf8');
