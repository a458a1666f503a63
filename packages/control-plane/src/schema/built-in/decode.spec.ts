import { KubeError } from '@flotilla/kube';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decoded, infoOf } from '../../../fixtures/object-schemas.ts';

const deployment = (spec: unknown) => ({ metadata: { name: 'a' }, spec });
const withContainer = (container: unknown) => deployment({ template: { spec: { containers: [container] } } });

describe('decodeBuiltIn', () => {
  it('reports the path of each field that a kind does not have, and drops it', () => {
    const { object, unknown } = decoded('apps/deployments', {
      ...withContainer({ name: 'x', imge: 'y', env: [{ name: 'A', valu: 'b' }] }),
      foo: 1,
    });
    expect(unknown).toEqual([
      'spec.template.spec.containers[0].imge',
      'spec.template.spec.containers[0].env[0].valu',
      'foo',
    ]);
    expect(object).toMatchObject({
      spec: { template: { spec: { containers: [{ name: 'x', env: [{ name: 'A' }] }] } } },
    });
  });

  it.each([
    [
      'a string is not a number',
      deployment({ replicas: '1' }),
      'json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    [
      'a fraction is not an integer',
      deployment({ replicas: 1.5 }),
      'json: cannot unmarshal number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    [
      'a field inside a list is named without its index',
      withContainer({ name: 5 }),
      'json: cannot unmarshal number into Go struct field Container.spec.template.spec.containers.name of type string',
    ],
    [
      'a list is not an object',
      deployment({ template: [] }),
      'json: cannot unmarshal array into Go struct field DeploymentSpec.spec.template of type v1.PodTemplateSpec',
    ],
    [
      'an amount must be one',
      withContainer({ resources: { limits: { cpu: 'much' } } }),
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
  ])('%s', (_what, object, message) => {
    expect(() => decoded('apps/deployments', object)).toThrow(
      `Deployment in version "v1" cannot be handled as a Deployment: ${message}`,
    );
  });

  it('reports which byte of base64 is invalid', () => {
    expect(() => decoded('/secrets', { data: { a: 'ab!d' } })).toThrow('illegal base64 data at input byte 2');
  });

  it('decodes the schemas of definitions, wherever a schema may stand', () => {
    const openAPIV3Schema = { type: 'object', properties: { a: { type: 'array', items: { type: 'string', foo: 1 } } } };
    const { unknown } = decoded('apiextensions.k8s.io/customresourcedefinitions', {
      spec: { versions: [{ schema: { openAPIV3Schema } }] },
    });
    expect(unknown).toEqual(['spec.versions[0].schema.openAPIV3Schema.properties.a.items.foo']);
  });

  it('takes any JSON as the body of any kind, or refuses it as a bad request', () => {
    const storages = ['/pods', '/services', 'apps/deployments', 'batch/jobs', 'networking.k8s.io/ingresses'];
    fc.assert(
      fc.property(
        fc.constantFrom(...storages),
        fc.object({
          key: fc.constantFrom('metadata', 'spec', 'status', 'x', 'containers', 'template', 'ports', 'rules'),
        }),
        (storage, object) => {
          try {
            decoded(infoOf(storage).storage, JSON.parse(JSON.stringify(object)));
          } catch (error) {
            expect(KubeError.is(error, 'BadRequest')).toBe(true);
          }
        },
      ),
    );
  });
});
