import type { Field } from '../../field.ts';
import { dnsLabel } from '../../names.ts';

/** In the order in which the server validates them. */
const sources = [
  'emptyDir',
  'hostPath',
  'gitRepo',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'secret',
  'nfs',
  'iscsi',
  'glusterfs',
  'flocker',
  'persistentVolumeClaim',
  'rbd',
  'cinder',
  'cephfs',
  'quobyte',
  'downwardAPI',
  'fc',
  'flexVolume',
  'configMap',
  'azureFile',
  'vsphereVolume',
  'photonPersistentDisk',
  'portworxVolume',
  'azureDisk',
  'storageos',
  'projected',
  'scaleIO',
  'csi',
  'ephemeral',
  'image',
];

const hostPathTypes = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];

/** The volumes of a pod; answers with the names that mounts may use. */
export function validateVolumes(volumes: Field): Set<string> {
  const names = new Set<string>();
  for (const volume of volumes.items()) {
    const name = volume.at('name');
    if (name.text === '') name.required();
    else if (dnsLabel(name.text).length > 0) name.check(dnsLabel);
    else if (names.has(name.text)) name.duplicate();
    else names.add(name.text);
    validateSource(volume);
  }
  return names;
}

function validateSource(volume: Field): void {
  const given = sources.filter((source) => volume.at(source).present);
  for (const source of given.slice(1)) volume.at(source).forbidden('may not specify more than 1 volume type');
  const [kind] = given;
  if (kind === undefined) volume.required('must specify a volume type');
  else checks[kind]?.(volume.at(kind));
}

const requires =
  (...names: string[]) =>
  (source: Field): void => {
    for (const name of names) if (source.at(name).text === '') source.at(name).required();
  };

/** The rules of each source. */
const checks: Readonly<Record<string, (source: Field) => void>> = {
  hostPath(source) {
    requires('path')(source);
    if (source.at('path').text.split('/').includes('..')) source.at('path').invalid("must not contain '..'");
    const type = source.at('type');
    if (type.present && !hostPathTypes.includes(type.text)) type.notSupported(hostPathTypes);
  },
  secret(source) {
    requires('secretName')(source);
    validateFiles(source);
  },
  configMap(source) {
    requires('name')(source);
    validateFiles(source);
  },
  persistentVolumeClaim: requires('claimName'),
  nfs: requires('server', 'path'),
  csi: requires('driver'),
  projected(source) {
    validateMode(source.at('defaultMode'));
    for (const projection of source.at('sources').items()) {
      const token = projection.at('serviceAccountToken');
      const expiration = token.at('expirationSeconds');
      if (!token.present) continue;
      if (expiration.number < 600) expiration.invalid('may not specify a duration less than 10 minutes');
      if (expiration.number > 2 ** 32) expiration.invalid('may not specify a duration larger than 2^32 seconds');
      if (token.at('path').text === '') source.at('path').required();
    }
  },
};

function validateFiles(source: Field): void {
  validateMode(source.at('defaultMode'));
  for (const item of source.at('items').items()) {
    const key = item.at('key');
    if (key.text === '') key.required();
    const path = item.at('path');
    if (path.text === '') path.required();
    if (path.text.startsWith('/')) path.invalid('must be a relative path');
    if (path.text.split('/').includes('..')) path.invalid("must not contain '..'");
    validateMode(item.at('mode'));
  }
}

function validateMode(mode: Field): void {
  if (mode.present && (mode.number < 0 || mode.number > 0o777)) {
    mode.invalid('must be a number between 0 and 0777 (octal), both inclusive');
  }
}
