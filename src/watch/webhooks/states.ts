/** Why an endpoint is disabled: by its owner, by the operator, at the receiver's request (410), or because deliveries failed. */
export const disabledReasons = ['owner', 'operator', 'gone', 'failing'] as const;
export type DisabledReason = (typeof disabledReasons)[number];

export const deliveryStates = ['waiting', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof deliveryStates)[number];
