"""Invented people and places."""

PLACES = (
    "Aldermoor", "Brennick", "Callowfen", "Dunmarrow", "Eskholm", "Farrowby", "Gantrey", "Hollinsea", "Istrand", "Jorvane",
    "Kesterly", "Lunness", "Marrick", "Norrowtide", "Ostervale", "Pellgate", "Quenby", "Ravenmoor", "Skelby", "Tarnwick",
    "Ulverholt", "Varrowick", "Wexcombe", "Yarrowend", "Zellin", "Ambershaw", "Birkholm", "Corrigal", "Drumsay", "Ennersby",
    "Fallowdale", "Grimsund", "Harkstead", "Inverlode", "Jessamy", "Kilbrae", "Lorncliff", "Merrowby", "Netherfold", "Orrinside",
)  # fmt: skip
PEOPLE = (
    "Ilse Marwood", "Tobin Achter", "Nuria Pellow", "Casimir Dray", "Oona Feld", "Bastian Rook", "Hedda Lindqvane", "Piers Oduya",
    "Marta Quillon", "Yusuf Ternhall", "Greta Asplund-Moor", "Dario Venn", "Sunniva Karlow", "Emeka Thorne", "Lioba Hartig",
    "Jonas Wray", "Rosalind Ikemi", "Anton Burrel", "Petra Saltmarsh", "Idris Colley", "Fenna Voskuil", "Malik Arden",
    "Tamsin Okoro", "Viktor Hale", "Noor Eastling", "Clemens Abbot", "Agnes Tiller", "Rafael Dunmore", "Wanda Strick", "Elias Coombe",
)  # fmt: skip
