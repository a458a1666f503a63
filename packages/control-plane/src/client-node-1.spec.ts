import { vi } from 'vitest';

// The bridge of `@flotilla/kube` with the major version of client-node before this one, which most programs have.
vi.mock('@kubernetes/client-node', () => import('client-node-1'));
await import('./client-node.spec.ts');
