// Offers the zone of this browser in the field; nothing is sent until somebody presses the button.
const field = document.querySelector("[data-own-zone]");
const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
const known = field && [...field.list.options].some((option) => option.value === own);
if (known && field.value !== own) field.value = own;
