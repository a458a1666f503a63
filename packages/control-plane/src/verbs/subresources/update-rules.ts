import type { AnyObject } from '../prepare.ts';
import { keepAddresses } from '../service-addresses.ts';
import { approvalUpdate, certificateUpdate } from './certificate-conditions.ts';
import { finalizeUpdate } from './finalize.ts';

/** Takes from `next` what an endpoint may change, and the rest from `old`. */
export type UpdateRule = (next: AnyObject, old: AnyObject, now: number) => AnyObject;

const certificates = 'certificates.k8s.io/certificatesigningrequests';

/** What is asked for and what was decided are fixed; only metadata can be edited. */
const metadataOnly: UpdateRule = (next, old) => ({ ...old, metadata: next.metadata ?? {} });

/** Finalizers of a namespace change through `finalize` only. */
const keepOpen: UpdateRule = (next, old) => ({ ...next, spec: old.spec, status: old.status });

/** How important a pod is follows from its spec, which does not change. */
const podStatusUpdate: UpdateRule = (next, old) => {
  const { qosClass } = (old.status ?? {}) as { qosClass?: string };
  return {
    ...old,
    metadata: next.metadata ?? {},
    status: { ...(qosClass !== undefined && { qosClass }), ...(next.status as object | undefined) },
  };
};

/** Endpoints that change other fields than the main resource or `status` do elsewhere, by storage and subresource. */
const rules: Readonly<Record<string, UpdateRule>> = {
  '/namespaces/': keepOpen,
  '/namespaces/finalize': finalizeUpdate,
  '/pods/status': podStatusUpdate,
  '/services/': keepAddresses,
  [`${certificates}/`]: metadataOnly,
  [`${certificates}/approval`]: approvalUpdate,
  [`${certificates}/status`]: certificateUpdate,
};

/** The rule of an endpoint that has one of its own. */
export const updateRule = (storage: string, subresource: string | undefined): UpdateRule | undefined =>
  rules[`${storage}/${subresource ?? ''}`];
