/** The version of the Adyen Checkout API that the adapter speaks, as its addresses name it. */
export const checkoutVersion = 'v71';

/** The same of the Adyen Disputes API. */
export const disputesVersion = 'v30';
