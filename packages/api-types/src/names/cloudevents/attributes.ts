import { composed } from '../composed.ts';
import { constantsOf, type NameTable } from '../name-table.ts';

export const extensionTable = {
  ClusterName: { value: 'clustername', on: [], meaning: 'Managed cluster; authorises and routes.' },
  OriginalSource: { value: 'originalsource', on: [], meaning: 'Source that a work came from; else empty.' },
  ResourceId: { value: 'resourceid', on: [], meaning: 'UID of the object.' },
  ResourceVersion: {
    value: 'resourceversion',
    on: [],
    meaning: 'For works the generation as integer, else the resource version as string.',
  },
  SequenceId: { value: 'sequenceid', on: ['ManifestWork'], meaning: 'Orders the statuses of a work.' },
  StatusHash: { value: 'statushash', on: ['ManifestWork'], meaning: 'SHA-256 of the status of a work.' },
  Metadata: { value: 'metadata', on: ['ManifestWork'], meaning: 'JSON of the metadata of a work.' },
  LogTracing: { value: 'logtracing', on: ['ManifestWork'], meaning: 'JSON of the tracing annotations of a work.' },
  DeletionTimestamp: { value: 'deletiontimestamp', on: [], meaning: 'Present: the object is being deleted.' },
} as const satisfies NameTable;

export const attributeTable = {
  ContentType: { value: 'contenttype', on: [], meaning: 'The one attribute without prefix: content type of the data.' },
  Time: { value: 'ce-time', on: [], meaning: 'When the event was made.' },
  Subject: { value: 'ce-subject', on: [], meaning: 'Not used by OCM.' },
  DataSchema: { value: 'ce-dataschema', on: [], meaning: 'Not used by OCM.' },
  Extension: composed('ce-{extension}', [], 'Any extension in the protobuf envelope.', { extension: '[a-z0-9]+' }),
} as const satisfies NameTable;

/** Extensions of CloudEvents. */
export const CloudEventsExtension = /* @__PURE__ */ constantsOf(extensionTable);

/** Keys of attributes in the protobuf envelope, which is not the standard one of CloudEvents. */
export const CloudEventsAttribute = /* @__PURE__ */ constantsOf(attributeTable);

/** Content type of the data of every event. */
export const cloudEventsContentType = 'application/json';

/** Version of CloudEvents in every event. */
export const cloudEventsSpecVersion = '1.0';
