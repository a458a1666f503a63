import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dataTypes, formatDataType, parseDataType } from './data-type.ts';
import { actions, formatEventType, parseEventType } from './event-type.ts';
import { MalformedEvent } from './malformed.ts';

describe('the type of an event', () => {
  it('is read from the right, as the group may have dots [grpc-cloudevents 26.1-1]', () => {
    expect(parseEventType('io.open-cluster-management.works.v1alpha1.manifests.spec.create_request')).toEqual({
      dataType: { group: 'io.open-cluster-management.works', version: 'v1alpha1', resource: 'manifests' },
      subresource: 'spec',
      action: 'create_request',
    });
  });

  it.each([
    ['fewer than five parts', 'v1.leases.spec.create_request'],
    ['nothing', ''],
    ['another subresource', 'a.v1.leases.scale.update_request'],
    ['an unknown action', 'a.v1.leases.spec.patch_request'],
    ['an empty resource', 'a.v1..spec.create_request'],
  ])('is refused with %s [grpc-cloudevents 26.1-2]', (_, text) => {
    expect(() => parseEventType(text)).toThrow(MalformedEvent);
  });

  it('is written as it is read', () => {
    const type = fc.record({
      dataType: fc.constantFrom(...Object.values(dataTypes)),
      subresource: fc.constantFrom('spec' as const, 'status' as const),
      action: fc.constantFrom(...actions),
    });
    fc.assert(
      fc.property(type, (each) => {
        expect(parseEventType(formatEventType(each))).toEqual(each);
      }),
    );
  });

  it('is read or refused, whatever the text is', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        try {
          expect(formatEventType(parseEventType(text))).toBe(text);
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedEvent);
        }
      }),
    );
  });
});

describe('a data type', () => {
  it.each(['', 'leases', 'v1.leases', '.v1.leases', 'a..leases'])('%j is refused [grpc-cloudevents 26.1-3]', (text) => {
    expect(() => parseDataType(text)).toThrow(/is not <group>.<version>.<resource>/);
  });

  it.each(Object.values(dataTypes).map(formatDataType))('%s is written as it is read', (text) => {
    expect(formatDataType(parseDataType(text))).toBe(text);
  });
});
