/** Whether a text can be the value of a label, by Kubernetes' rule. */
export const isLabelValue = (text: string): boolean =>
  text.length <= 63 && /^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/.test(text);
