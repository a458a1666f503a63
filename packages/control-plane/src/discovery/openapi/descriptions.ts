import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import type { OpenApiSchema } from './to-openapi.ts';

/** By the name of a definition: what it is, under the empty name, and what its fields are. */
export type Descriptions = Readonly<Record<string, Readonly<Record<string, string>>>>;

/**
 * The sentences of the built-in kinds. They are three times the size of their schemas and most servers are never asked for them, so they are
 * packed, unpacked for whoever makes documents, and not kept.
 */
export async function loadDescriptions(): Promise<Descriptions> {
  const { default: file } = await import('./descriptions.json', { with: { type: 'json' } });
  const text = await promisify(brotliDecompress)(Buffer.from(file.brotli, 'base64'));
  return JSON.parse(text.toString('utf8'));
}

/** A schema with its sentences and those of its fields; what has some already keeps them. */
export function described(schema: OpenApiSchema, sentences: Readonly<Record<string, string>> = {}): OpenApiSchema {
  const { properties } = schema as { properties?: Readonly<Record<string, OpenApiSchema>> };
  return {
    ...withDescription(schema, sentences['']),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, field]) => [name, withDescription(field, sentences[name])]),
      ),
    }),
  };
}

/** Beside a reference nothing else may stand in OpenAPI v3, so a reference with a description is wrapped. */
function withDescription(schema: OpenApiSchema, description: string | undefined): OpenApiSchema {
  if (description === undefined || 'description' in schema) return schema;
  return '$ref' in schema ? { description, allOf: [schema] } : { description, ...schema };
}

const conventions = 'https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md';

/** What the server says of the fields that it adds to each custom kind. */
const objectSentences: Readonly<Record<string, string>> = {
  apiVersion: `APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized schemas to the latest internal value, and may reject unrecognized values. More info: ${conventions}#resources`,
  kind: `Kind is a string value representing the REST resource this object represents. Servers may infer this from the endpoint the client submits requests to. Cannot be updated. In CamelCase. More info: ${conventions}#types-kinds`,
  metadata: `Standard object's metadata. More info: ${conventions}#metadata`,
};

export const customSentences = objectSentences;

export const customListSentences = (kind: string, plural: string): Readonly<Record<string, string>> => ({
  ...objectSentences,
  '': `${kind}List is a list of ${kind}`,
  items: `List of ${plural}. More info: ${conventions}`,
  metadata: `Standard list metadata. More info: ${conventions}#types-kinds`,
});
