/** The version of the Adyen Checkout API that the adapter uses, as written in its URLs. */
export const checkoutVersion = 'v71';

/** The same for the Adyen Disputes API. */
export const disputesVersion = 'v30';
