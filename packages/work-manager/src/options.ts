/** OCM's limit of all manifests of a work together, bytes. */
export const defaultManifestLimit = 500 * 1024;

/** The flag of webhooks, with OCM's name and default. */
export const manifestLimitOption = {
  type: 'integer',
  flag: 'manifestLimit',
  min: 1,
  zeroIsDefault: true,
  default: defaultManifestLimit,
  group: 'Webhooks',
  description: 'How many bytes all manifests of a ManifestWork may have together.',
} as const;
