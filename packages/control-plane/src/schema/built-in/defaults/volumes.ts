import type { JsonObject } from '@flotilla/schema';
import { child, children, type Defaulter, fill } from './fill.ts';

/** rw-r--r-- */
const fileMode = 0o644;

/** Defaults inside the sources of a volume. */
const sources: Readonly<Record<string, Defaulter>> = {
  secret: (source) => fill(source, { defaultMode: fileMode }),
  configMap: (source) => fill(source, { defaultMode: fileMode }),
  downwardAPI: defaultDownwardApi,
  projected: defaultProjected,
  hostPath: (source) => fill(source, { type: '' }),
  iscsi: (source) => fill(source, { iscsiInterface: 'default' }),
  ephemeral: (source) => {
    const spec = child(child(source, 'volumeClaimTemplate') ?? {}, 'spec');
    if (spec) fill(spec, { volumeMode: 'Filesystem' });
  },
};

/** A volume that says nothing is an empty directory. */
export const defaultVolume: Defaulter = (volume) => {
  if (Object.keys(volume).every((name) => name === 'name')) volume.emptyDir = {};
  for (const [name, apply] of Object.entries(sources)) {
    const source = child(volume, name);
    if (source) apply(source);
  }
};

function defaultDownwardApi(source: JsonObject): void {
  fill(source, { defaultMode: fileMode });
  defaultFieldRefs(source);
}

function defaultFieldRefs(source: JsonObject): void {
  for (const item of children(source, 'items')) {
    const field = child(item, 'fieldRef');
    if (field) fill(field, { apiVersion: 'v1' });
  }
}

function defaultProjected(source: JsonObject): void {
  fill(source, { defaultMode: fileMode });
  for (const projection of children(source, 'sources')) {
    const token = child(projection, 'serviceAccountToken');
    if (token) fill(token, { expirationSeconds: 3600 });
    const downward = child(projection, 'downwardAPI');
    if (downward) defaultFieldRefs(downward);
  }
}
