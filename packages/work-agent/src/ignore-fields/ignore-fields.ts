import { Annotation, type ManifestUpdateStrategy } from '@flotilla/api-types';
import { createJqEngine, JqBudget, JqError } from '@flotilla/rules/jq';
import { PathBudget } from '@flotilla/rules/jsonpath';
import type { RuleCaller } from '@flotilla/rules/runner';
import type { Manifest } from '../manifest.ts';
import { printedFormHash } from '../printed-form.ts';
import { IgnoreFieldsError } from './ignore-fields-error.ts';
import { removeJsonPath } from './json-path-fields.ts';
import { removePointer } from './json-pointer.ts';

type ServerSideApply = NonNullable<ManifestUpdateStrategy['serverSideApply']>;

/** Fields that are left to others. */
export type IgnoreField = NonNullable<ServerSideApply['ignoreFields']>[number];

/** A manifest with ignored fields, ready to be applied. */
export interface ManifestWithIgnoredFields {
  /** To be applied when the object exists: without the fields that are never sent then. */
  readonly body: Manifest;
  /** To be applied when the object does not exist: with all fields. */
  readonly original: Manifest;
  /** What the object is annotated with; nothing is applied while the annotation says the same. */
  readonly hash: string;
}

/** Removes the ignored fields of a manifest, which stays as it is. Throws `IgnoreFieldsError`. */
export type IgnoreFields = (
  manifest: Manifest,
  fields: readonly IgnoreField[],
  caller?: RuleCaller,
) => Promise<ManifestWithIgnoredFields>;

/** All expressions of one manifest have one budget. */
export function createIgnoreFields(): IgnoreFields {
  const jq = createJqEngine();
  return async (manifest, fields, caller) => {
    let body: Manifest = structuredClone(manifest);
    const budget = { paths: new PathBudget(), jq: new JqBudget() };
    for (const field of fields) {
      // Fields of this condition are part of the hash, so that a change of them on the hub is applied.
      if (field.condition === 'OnSpokeChange') continue;
      for (const path of field.jsonPaths ?? []) removeJsonPath(body, path, budget.paths);
      for (const pointer of field.jsonPointers ?? []) removePointer(body, pointer, budget.paths);
      for (const expression of field.jqPathExpressions ?? []) {
        body = await removeSelected(
          body,
          expression,
          (object) => jq.remove(object, expression, budget.jq, caller),
          caller,
        );
      }
    }
    const hash = printedFormHash(body);
    const annotations = { ...metadataOf(body).annotations, [Annotation.ConfigSpecHash]: hash };
    return { body: annotated(body, annotations), original: annotated(structuredClone(manifest), annotations), hash };
  };
}

async function removeSelected(
  body: Manifest,
  expression: string,
  remove: (object: Manifest) => Promise<Manifest>,
  { signal }: Pick<RuleCaller, 'signal'> = {},
): Promise<Manifest> {
  try {
    return await remove(body);
  } catch (error) {
    if (signal?.aborted) throw cancelled(expression, signal.reason);
    if (!(error instanceof JqError)) throw error;
    throw new IgnoreFieldsError(`JQ expression error in '${expression}': ${error.message}`, { cause: error });
  }
}

const cancelled = (expression: string, cause: unknown): IgnoreFieldsError =>
  new IgnoreFieldsError(`JQ expression error in '${expression}': jq expression execution cancelled: context canceled`, {
    cause,
  });

const metadataOf = (object: Manifest): NonNullable<Manifest['metadata']> => object.metadata ?? {};

const annotated = (object: Manifest, annotations: Record<string, string>): Manifest => ({
  ...object,
  metadata: { ...metadataOf(object), annotations },
});
